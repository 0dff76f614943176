// Question: how late is what a model says, and what does a task that is done by one hold in memory?
//
// The model server of the tests is a process of its own. It says a hundred tokens a second, each of
// them the time at which it is sent. Delay: 64 tasks of the agent `llm` stream at the same time, in
// an executor in memory; measured is the time until the chunk with the token is visible to a
// watcher. A chunk waits for others up to 50 ms, since there are at most 20 a second. Baseline: the
// same streams, each read by a thread that does nothing else. Added delay: the difference of the
// two at p99. Memory: what is allocated while all streams are in their middle, less what is
// allocated before, for each of them; baseline: as many tasks that hang. Every token must come once
// and in order. Units: us, ms, bytes. Knobs: --streams, --tokens, --rounds, --threads, --filter
// (`delay`, `memory`).
#include "agents/llm/llm_agent.hpp"
#include "bench/llm/bare_reader.hpp"
#include "bench/support/executor.hpp"
#include "bench/support/harness.hpp"
#include "bench/support/latency.hpp"
#include "bench/support/live_objectives.hpp"
#include "bench/support/process.hpp"
#include "client/models/model_client.hpp"

#include <cstdlib>
#include <filesystem>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace troupe;
using namespace troupe::bench;

struct load {
  std::size_t streams = 64;
  std::size_t tokens = 1'000; ///< Of each stream.
};

struct model_process {
  model_process() {
    const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
    process = std::make_unique<child_process>(
        std::vector<std::string>{folder + "/troupe_model_server", "0"});
    url = process->read_line();
    const std::string host = "http://127.0.0.1:";
    check(url.starts_with(host), "the model server says: " + url);
    port = static_cast<std::uint16_t>(std::stoul(url.substr(host.size())));
  }

  std::unique_ptr<child_process> process;
  std::string url;
  std::uint16_t port = 0;
};

/// Follows the streams of one objective, a reader for each task.
class stream_watch final : public watcher {
public:
  stream_watch(const load& expected, std::function<void(std::string)> settled)
      : expected_(expected), readers_(expected.streams),
        counts_(expected.streams, std::move(settled)) {}

  void on_change(const change_ptr& change) override {
    {
      const std::lock_guard lock(mutex_);
      for (const auto& each : change->events)
        if (const auto* made = std::get_if<task_artifact>(&each))
          take(change->task.task_index, *made);
    }
    counts_.on_change(change);
  }
  /// Fulfilled when half of all tokens have come.
  [[nodiscard]] std::future<void> middle() { return middle_.get_future(); }
  [[nodiscard]] histogram delays() const {
    const std::lock_guard lock(mutex_);
    histogram out;
    for (const auto& each : readers_) {
      check(each.delays().count() == expected_.tokens && each.is_in_order(),
            "a task lost tokens, or mixed them up");
      out.add(each.delays());
    }
    return out;
  }

private:
  void take(std::uint32_t task, const task_artifact& made) {
    auto& reader = readers_.at(task);
    const auto before = reader.delays().count();
    reader.take(text_of(made.artifact->parts));
    tokens_ += reader.delays().count() - before;
    if (tokens_ >= expected_.streams * expected_.tokens / 2 && !std::exchange(is_half_, true))
      middle_.set_value();
  }

  const load expected_;
  mutable std::mutex mutex_;
  std::vector<token_reader> readers_;
  std::size_t tokens_ = 0;
  bool is_half_ = false;
  std::promise<void> middle_;
  objective_watch counts_;
};

struct stream_run {
  histogram delays;
  double bytes_in_the_middle = 0.0; ///< Allocated, of all streams.
};

objective_spec objective_of(std::size_t streams) {
  auto plan = std::make_shared<plan_spec>();
  plan->name = "streams";
  for (std::size_t i = 0; i < streams; ++i) {
    task_spec task;
    task.name = "t" + std::to_string(i);
    task.agent = "llm";
    task.input = {{"prompt", "Say something."}};
    plan->tasks.push_back(std::move(task));
  }
  objective_spec out;
  out.name = "streams";
  out.plans = {std::move(plan)};
  return out;
}

/// A model, an executor, and the agent between them.
struct llm_bed {
  llm_bed(const model_process& server, const load& size, std::size_t threads)
      : all(executor::in_memory(threads)) {
    models::model_settings settings;
    settings.name = settings.model = "steady";
    settings.url = server.url;
    settings.answer_tokens_max = size.tokens;
    settings.calls_max = size.streams;
    llm_options how;
    how.models = std::make_shared<models::model_client>(std::vector{settings});
    all->agents().add("llm", std::make_shared<llm_agent>(how));
  }
  stream_run run(const load& size) {
    auto settled = std::make_shared<std::promise<std::string>>();
    auto end = settled->get_future();
    const auto tell = [settled](const std::string& problem) { settled->set_value(problem); };
    const auto seen = std::make_shared<stream_watch>(size, tell);
    auto middle = seen->middle();
    const auto before = allocated_bytes();
    all->start(objective_of(size.streams), seen, tell);
    stream_run out;
    while (middle.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready)
      if (end.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
        break; // it failed
    out.bytes_in_the_middle = allocated_bytes() - before;
    const auto problem = end.get();
    check(problem.empty(), problem);
    out.delays = seen->delays();
    return out;
  }

  std::unique_ptr<executor> all;
};

void measure_delay(const options& how, report& to, const load& size) {
  if (!how.wants("delay"))
    return;
  to.heading(std::to_string(size.streams) + " streams of 100 tokens/s; baseline: bare readers");
  const model_process server;
  llm_bed bed(server, size, how.threads);
  std::vector<latencies> all;
  std::vector<latencies> bare;
  std::vector<double> added;
  for (std::size_t round = 0; round <= how.rounds_or(5); ++round) {
    const auto tasks = latencies_of(bed.run(size).delays);
    const auto readers = latencies_of(read_streams(server.port, size.streams, size.tokens));
    if (round == 0 && !how.quick)
      continue; // a warm-up
    all.push_back(tasks);
    bare.push_back(readers);
    added.push_back((tasks.p99 - readers.p99) / 1000.0);
  }
  add_latencies(to, "delay", all, bare);
  to.add("delay, added at p99", median(added), "ms");
}

void measure_memory(const options& how, report& to, const load& size) {
  if (!how.wants("memory"))
    return;
  to.heading("memory of " + std::to_string(size.streams) + " streams; baseline: tasks that hang");
  const auto count = static_cast<double>(size.streams);
  const auto hanging = run_in_child([&] {
    auto all = executor::in_memory(how.threads);
    const auto before = allocated_bytes();
    start_live(*all, 1, size.streams);
    const auto after = allocated_bytes();
    (void)all.release();
    return std::vector<double>{(after - before) / count};
  });
  const model_process server;
  const auto streaming = run_in_child([&] {
    llm_bed bed(server, size, how.threads);
    static_cast<void>(bed.run({size.streams, size.tokens})); // threads, buffers, connections
    return std::vector<double>{bed.run(size).bytes_in_the_middle / count};
  });
  to.add("memory, allocated", streaming.at(0), "bytes/stream", hanging.at(0));
}

} // namespace

int main(int argc, char** argv) {
  std::string streams;
  std::string tokens;
  return run_benchmark(
      argc, argv, "llm", "How late is what a model says, and what does its task hold in memory?",
      [&](const options& how, report& to) {
        load size;
        if (how.quick)
          size = {8, 20};
        if (!streams.empty())
          size.streams = std::strtoull(streams.c_str(), nullptr, 10);
        if (!tokens.empty())
          size.tokens = std::strtoull(tokens.c_str(), nullptr, 10);
        check(size.streams > 0 && size.tokens > 1, "--streams and --tokens must be above 0 and 1");
        measure_memory(how, to, size);
        measure_delay(how, to, size);
      },
      {{"--streams", "tasks that stream at the same time (64)", &streams},
       {"--tokens", "tokens of each stream (1000)", &tokens}});
}
