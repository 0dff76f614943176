// Question: what do changes of running plans, questions and their answers cost, against plain
// durable sends?
//
// A server (`troupe serve`) is a process of its own; this program is its client. Cases:
//   change/100000 tasks     one task replaced in a plan of 100,000, memory store, one connection;
//                           baseline: `plans/get` of that plan without its tasks
//   changes/durable         plans/modify by 16 editors of one plan, RocksDB;
//                           baseline: as many SendMessage of as many connections, on the same
//                           server
//   answers/durable         inputs/answer to open questions, 16 connections; the same baseline
//   list/100000 open        a page of inputs/list with 100,000 open questions, memory store;
//                           baseline: with 100
//   question to root        from an agent's question to the root task that shows it, RocksDB, in
//   this
//                           process; baseline: from a send to its acknowledgement, one group commit
// Units: us, requests/s. Every answer is checked, and what the server holds afterwards.
// Knobs: --troupe PATH, --threads, --rounds, --filter.
#include "bench/objectives/requests.hpp"
#include "bench/support/executor.hpp"
#include "bench/support/harness.hpp"
#include "bench/support/latency.hpp"
#include "bench/support/process.hpp"
#include "tests/support/temporary_directory.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <mutex>

namespace {

using namespace troupe;
using namespace troupe::bench;
using troupe::testing::temporary_directory;
using steady = std::chrono::steady_clock;

constexpr std::size_t editors = 16;

std::string own_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
}

/// `troupe serve`, listening.
class served {
public:
  served(const std::string& troupe, const std::string& store, const std::string& data)
      : process_({troupe, "serve", "--listen", "127.0.0.1:0", "--store", store, "--data", data}),
        port_(listening_port(process_)) {}

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  void stop() { check(process_.terminate() == 0, "the server ended with an error"); }

private:
  child_process process_;
  std::uint16_t port_;
};

/// The params of objectives/create: one plan of tasks that wait for a person.
std::string asking_objective(const std::string& id, std::size_t tasks) {
  std::string out = R"({"id":")" + id
                    + R"(","name":"Questions","start":true,"plans":[{"name":"Ask",)"
                    + R"("maxParallel":)" + std::to_string(tasks) + R"(,"tasks":[)";
  for (std::size_t i = 0; i < tasks; ++i)
    out +=
        (i == 0 ? "" : ",")
        + (R"({"name":"t)" + std::to_string(i)
           + R"(","agent":"scripted","input":{"steps":[{"ask":"Which?"},{"complete":"done"}]}})");
  return out + "]}]}";
}

/// The same, but all but the first task wait for that, which waits for a person.
std::string waiting_objective(const std::string& id, std::size_t tasks) {
  std::string out =
      R"({"id":")" + id + R"(","name":"Chain","start":true,"plans":[{"name":"Wait",)"
      + R"("tasks":[{"name":"t0","agent":"scripted","input":{"steps":[{"ask":"Go on?"}]}})";
  for (std::size_t i = 1; i < tasks; ++i)
    out += R"(,{"name":"t)" + std::to_string(i) + R"(","agent":"noop","dependencies":["t0"]})";
  return out + "]}]}";
}

/// Waits until the objective has so many open questions.
void wait_for_questions(request_client& client, const std::string& objective, std::size_t count) {
  const auto wanted = R"("totalSize":)" + std::to_string(count) + "}";
  const auto wanted_before = R"("totalSize":)" + std::to_string(count) + ",";
  for (int tries = 0; tries < 6'000; ++tries) {
    const auto answer =
        client.ask("inputs/list", R"({"objectiveId":")" + objective + R"(","pageSize":1})");
    if (answer.find(wanted) != std::string::npos || answer.find(wanted_before) != std::string::npos)
      return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  throw wrong_result("the questions were not asked in time");
}

double median_us(const load_result& of) {
  return static_cast<double>(of.latencies_ns.at_share(0.5)) / 1'000;
}

void measure_one_change(const options& how, report& to, const std::string& troupe) {
  const std::size_t tasks = how.quick ? 1'000 : 100'000;
  const std::string name = "change/" + std::to_string(tasks) + " tasks";
  if (!how.wants(name))
    return;
  const temporary_directory data;
  served server(troupe, "memory", data.path());
  request_client client(server.port(), 1);
  static_cast<void>(client.ask("objectives/create", waiting_objective("big", tasks)));
  wait_for_questions(client, "big", 1);
  const std::size_t times = how.quick ? 20 : 500;
  std::size_t changes = 0;
  const auto all = measure_in_turn(
      how.rounds_or(7),
      {[&] {
         return median_us(client.send_all(
             times,
             [&](std::size_t i) {
               // Tasks from all over the plan, never the first.
               const auto task = 1 + (i * 7'919 + ++changes) % (tasks - 1);
               return request_client::request(
                   "plans/modify",
                   R"({"id":"big.p0","operations":[{"op":"replaceTask","task":"big.p0.t)"
                       + std::to_string(task) + R"(","with":{"name":"t)" + std::to_string(task)
                       + R"(","agent":"echo","input":{"text":"changed"}}}]})");
             },
             "\"revision\""));
       },
       [&] {
         return median_us(client.send_all(
             times,
             [](std::size_t) {
               return request_client::request("plans/get",
                                              R"({"id":"big.p0","includeTasks":false})");
             },
             "\"big.p0\""));
       }});
  to.heading("one task changed in a plan, and a look at the plan without its tasks");
  to.add(name, median(all[0]), "us", median(all[1]), ratio_of(all[0], all[1]));
  server.stop();
}

double sends_per_second(request_client& client, std::size_t times) {
  static std::size_t number = 0;
  const auto took = client.send_all(
      times,
      [](std::size_t) {
        return request_client::request(
            "SendMessage", R"({"message":{"messageId":"m)" + std::to_string(++number)
                               + R"(","role":"ROLE_USER","parts":[{"text":"hello"}]}})");
      },
      "TASK_STATE_COMPLETED");
  return static_cast<double>(times) / took.seconds;
}

void measure_changes(const options& how, report& to, const std::string& troupe) {
  const std::string name = "changes/durable";
  if (!how.wants(name))
    return;
  const temporary_directory data;
  served server(troupe, "rocksdb", data.path());
  request_client client(server.port(), editors);
  static_cast<void>(client.ask("objectives/create", waiting_objective("edited", 1'000)));
  wait_for_questions(client, "edited", 1);
  const std::size_t times = how.quick ? 50 : 1'000;
  std::size_t number = 0;
  const auto all = measure_in_turn(
      how.rounds_or(7),
      {[&] {
         const auto took = client.send_all(
             times,
             [&](std::size_t) {
               return request_client::request(
                   "plans/modify",
                   R"({"id":"edited.p0","operations":[{"op":"addTask","name":"more )"
                       + std::to_string(++number) + R"(","agent":"noop","dependencies":["t0"]}]})");
             },
             "\"revision\"");
         return static_cast<double>(times) / took.seconds;
       },
       [&] { return sends_per_second(client, times); }});
  const auto seen = client.ask("plans/get", R"({"id":"edited.p0"})");
  check(seen.find("\"more " + std::to_string(number) + "\"") != std::string::npos,
        "an added task is missing");
  to.heading("durable changes of one plan by 16 editors, and durable sends");
  to.add(name, median(all[0]), "requests/s", median(all[1]), ratio_of(all[0], all[1]));
  server.stop();
}

void measure_answers(const options& how, report& to, const std::string& troupe) {
  const std::string name = "answers/durable";
  if (!how.wants(name))
    return;
  const temporary_directory data;
  served server(troupe, "rocksdb", data.path());
  request_client client(server.port(), editors);
  const std::size_t times = how.quick ? 50 : 1'000;
  std::size_t round = 0;
  const auto all = measure_in_turn(
      how.rounds_or(7),
      {[&] {
         const auto id = "asked" + std::to_string(++round);
         static_cast<void>(client.ask("objectives/create", asking_objective(id, times)));
         wait_for_questions(client, id, times);
         const auto took = client.send_all(
             times,
             [&](std::size_t i) {
               return request_client::request("inputs/answer",
                                              R"({"id":")" + id + ".p0.t" + std::to_string(i)
                                                  + R"(.question-1","value":"this"})");
             },
             "\"answered\"");
         wait_for_questions(client, id, 0);
         return static_cast<double>(times) / took.seconds;
       },
       [&] { return sends_per_second(client, times); }});
  to.heading("durable answers to as many open questions, and durable sends");
  to.add(name, median(all[0]), "requests/s", median(all[1]), ratio_of(all[0], all[1]));
  server.stop();
}

void measure_list(const options& how, report& to, const std::string& troupe) {
  const std::size_t many = how.quick ? 1'000 : 100'000;
  const std::string name = "list/" + std::to_string(many) + " open";
  if (!how.wants(name))
    return;
  const temporary_directory data;
  served full(troupe, "memory", data / "full");
  served small(troupe, "memory", data / "small");
  request_client client_of_full(full.port(), 1);
  request_client client_of_small(small.port(), 1);
  static_cast<void>(client_of_small.ask("objectives/create", asking_objective("few", 100)));
  wait_for_questions(client_of_small, "few", 100);
  // Of many objectives, as a server has them.
  const std::size_t objectives = many / 1'000;
  for (std::size_t i = 0; i < objectives; ++i)
    static_cast<void>(
        client_of_full.ask("objectives/create", asking_objective("o" + std::to_string(i), 1'000)));
  for (std::size_t i = 0; i < objectives; ++i)
    wait_for_questions(client_of_full, "o" + std::to_string(i), 1'000);
  const std::size_t times = how.quick ? 20 : 500;
  const auto pages = [&](request_client& client) {
    return median_us(client.send_all(
        times,
        [](std::size_t) { return request_client::request("inputs/list", R"({"pageSize":50})"); },
        "\"nextPageToken\""));
  };
  const auto all = measure_in_turn(how.rounds_or(7), {[&] { return pages(client_of_full); },
                                                      [&] { return pages(client_of_small); }});
  to.heading("a page of inputs/list, and the same with 100 open questions");
  to.add(name, median(all[0]), "us", median(all[1]), ratio_of(all[0], all[1]));
  full.stop();
  small.stop();
}

/// Asks as soon as it is started, and says when.
class asking_agent final : public agent {
public:
  start_result start(const order_ptr&, const agent_port_ptr& port) override {
    asked_at = steady::now();
    port->report(report_question{.prompt = "Which?"});
    return std::make_unique<asking_run>(port);
  }

  std::atomic<steady::time_point> asked_at{};

private:
  class asking_run final : public agent_run {
  public:
    explicit asking_run(agent_port_ptr port) : port_(std::move(port)) {}
    bool on_cancel() override { return true; }

  private:
    agent_port_ptr port_;
  };
};

/// Waits for the root task that asks.
class root_watch final : public watcher {
public:
  void on_change(const change_ptr& change) override {
    for (const auto& one : change->events)
      if (const auto* moved = std::get_if<objective_moved>(&one);
          moved && moved->to() == objective_state::blocked)
        seen.set_value(steady::now());
  }

  std::promise<steady::time_point> seen;
};

objective_spec asking_spec(std::size_t number) {
  task_spec one;
  one.name = "ask";
  one.agent = "ask at once";
  plan_spec plan;
  plan.name = "Ask";
  plan.tasks.push_back(std::move(one));
  objective_spec out;
  out.id = objective_id{"asking-" + std::to_string(number)};
  out.name = "Asking";
  out.plans.push_back(std::make_shared<const plan_spec>(std::move(plan)));
  return out;
}

/// Nanoseconds.
std::uint64_t question_to_root(executor& all, const asking_agent& asking, std::size_t number) {
  const auto watch = std::make_shared<root_watch>();
  auto seen = watch->seen.get_future();
  all.start(asking_spec(number), watch, [](const std::string& why) { throw wrong_result(why); });
  check(seen.wait_for(std::chrono::seconds(30)) == std::future_status::ready,
        "no root task asked in time");
  return static_cast<std::uint64_t>((seen.get() - asking.asked_at.load()).count());
}

/// Nanoseconds from a message to its task, committed.
std::uint64_t one_commit(executor& all, std::size_t number) {
  send_message command;
  command.message.message_id = "m" + std::to_string(number);
  command.message.parts.push_back(text_part("hello"));
  std::promise<steady::time_point> done;
  auto at = done.get_future();
  const auto begin = steady::now();
  all.main_gateway().send(std::move(command), nullptr, [&done](const result<sent>& answer) {
    check(answer.has_value(), "a message was refused");
    done.set_value(steady::now());
  });
  return static_cast<std::uint64_t>((at.get() - begin).count());
}

void measure_question(const options& how, report& to) {
  const std::string name = "question to root";
  if (!how.wants(name))
    return;
  const temporary_directory data;
  const auto all = executor::durable(how.threads, data.path());
  const auto asking = std::make_shared<asking_agent>();
  all->agents().add("ask at once", asking);
  all->agents().default_agent = "hang";
  const std::size_t times = how.quick ? 20 : 1'000;
  std::vector<latencies> questions;
  std::vector<latencies> commits;
  std::size_t number = 0;
  for (std::size_t round = 0; round < how.rounds_or(5); ++round) {
    histogram asked;
    histogram committed;
    for (std::size_t i = 0; i < times; ++i) { // In turn, so that the disk is the same for both.
      asked.add(question_to_root(*all, *asking, ++number));
      committed.add(one_commit(*all, number));
    }
    questions.push_back(latencies_of(asked));
    commits.push_back(latencies_of(committed));
  }
  to.heading("from a question to the root task that shows it, and one group commit");
  add_latencies(to, "one commit", commits);
  add_latencies(to, name, questions, commits);
}

} // namespace

int main(int argc, char** argv) {
  std::string troupe = own_folder() + "/troupe";
  return run_benchmark(
      argc, argv, "objectives", "What do changes of running plans, questions and answers cost?",
      [&](const options& how, report& to) {
        measure_one_change(how, to, troupe);
        measure_changes(how, to, troupe);
        measure_answers(how, to, troupe);
        measure_list(how, to, troupe);
        measure_question(how, to);
      },
      {{"--troupe", "the server's binary; default: the one beside this program", &troupe}});
}
