// Question: what does it cost that a message is a text, not a plan?
//
// Reading: a numbered list of N tasks with a sentence about the order of each two is read by the
// grammar; baseline: the same plan read as a JSON document. Checked: both give the same plan.
// Sending: messages with a list of three tasks become objectives, in a durable store, 64 under way;
// baseline: as many messages that become one task each. Counted is what is acknowledged. Checked:
// each is accepted, and as what it is. Units: us, messages/s. Knobs: --threads, --rounds, --filter
// (`reading`, `sending`).
#include "actors/service/service.hpp"
#include "bench/support/executor.hpp"
#include "bench/support/harness.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "tests/support/temporary_directory.hpp"
#include <troupe/protocol/plan_document.hpp>

#include <cstddef>
#include <memory>
#include <semaphore>
#include <string>
#include <vector>

#include "planner/text_reading.hpp"

namespace {

using namespace troupe;
using namespace troupe::bench;
using troupe::testing::temporary_directory;

constexpr std::ptrdiff_t under_way_max = 64;

std::string list_of(std::size_t tasks) {
  std::string out;
  for (std::size_t i = 1; i <= tasks; ++i)
    out += std::to_string(i) + ". Do part number " + std::to_string(i) + " (5 min)\n";
  for (std::size_t i = 2; i <= tasks; ++i)
    out += "Step " + std::to_string(i - 1) + " must precede step " + std::to_string(i) + ".\n";
  return out;
}

std::string document_of(const objective_spec& plan) {
  std::string out;
  json_writer to(out);
  opt::write_spec(to, plan);
  return out;
}

std::size_t edges_in(const objective_spec& plan) {
  std::size_t out = 0;
  for (const auto& task : plan.plans.at(0)->tasks)
    out += task.dependencies.size();
  return out;
}

double seconds_to_read_text(const std::string& text, std::size_t tasks, std::size_t times) {
  return seconds_of([&] {
    for (std::size_t i = 0; i < times; ++i) {
      const auto read = planner::objective_of(planner::read_text(text), "list");
      check(edges_in(read) == tasks - 1, "the text was read wrongly");
    }
  });
}

double seconds_to_read_document(const std::string& text, std::size_t tasks, std::size_t times) {
  return seconds_of([&] {
    for (std::size_t i = 0; i < times; ++i) {
      const auto read = read_plan_document(text);
      check(read && edges_in(read->objective) == tasks - 1, "the document was read wrongly");
    }
  });
}

void measure_reading(const options& how, report& to) {
  to.heading("reading a text, and the same plan as JSON");
  for (const std::size_t tasks : {10U, 100U, 500U}) {
    const auto name = "reading/" + std::to_string(tasks) + " tasks";
    if (!how.wants(name))
      continue;
    const auto text = list_of(tasks);
    const auto document = document_of(planner::objective_of(planner::read_text(text), "list"));
    const std::size_t times = how.quick ? 2 : 20'000 / tasks;
    const auto all = measure_in_turn(
        how.rounds_or(7), {[&] { return seconds_to_read_text(text, tasks, times); },
                           [&] { return seconds_to_read_document(document, tasks, times); }});
    const auto each = 1e6 / static_cast<double>(times);
    to.add(name, median(all[0]) * each, "us", median(all[1]) * each, ratio_of(all[0], all[1]));
  }
}

send_request request_of(const std::string& text, bool is_planned) {
  send_request out;
  out.command.message.message_id = "m";
  out.command.message.parts.push_back(text_part(text));
  if (is_planned)
    out.planning = std::make_shared<planning_wishes>();
  return out;
}

/// Acknowledged messages a second.
double rate_of(executor& with, std::size_t messages, bool is_planned) {
  const service all(with.main_gateway());
  const auto text = list_of(3);
  std::counting_semaphore<> slots(under_way_max);
  std::vector<std::shared_ptr<pending_send>> sent;
  sent.reserve(messages);
  const auto seconds = seconds_of([&] {
    for (std::size_t i = 0; i < messages; ++i) {
      slots.acquire();
      sent.push_back(all.send(request_of(text, is_planned), [&slots] { slots.release(); }));
    }
    for (std::ptrdiff_t i = 0; i < under_way_max; ++i)
      slots.acquire();
  });
  for (const auto& each : sent) {
    auto outcome = each->poll(true);
    if (!outcome) { // Its record is being read from the disk.
      slots.acquire();
      outcome = each->poll(true);
    }
    check(outcome && *outcome && ((*outcome)->objective != nullptr) == is_planned,
          "a message was refused, or became something else");
  }
  return static_cast<double>(messages) / seconds;
}

void measure_sending(const options& how, report& to) {
  const std::string name = "sending/durable";
  if (!how.wants(name))
    return;
  to.heading("messages that become objectives of three tasks, and as many that become a task");
  const temporary_directory directory;
  const auto all = executor::durable(how.threads, directory.path().string());
  const std::size_t messages = how.quick ? 200 : 20'000;
  const auto rates =
      measure_in_turn(how.rounds_or(5), {[&] { return rate_of(*all, messages, true); },
                                         [&] { return rate_of(*all, messages, false); }});
  to.add(name, median(rates[0]), "messages/s", median(rates[1]), ratio_of(rates[0], rates[1]));
}

} // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "planner",
                       "What does it cost that a message is a text, not a plan?",
                       [](const options& how, report& to) {
                         measure_reading(how, to);
                         measure_sending(how, to);
                       });
}
