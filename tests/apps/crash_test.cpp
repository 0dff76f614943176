// Kills a real `troupe run` with SIGKILL at random moments, resumes it, kills it again, until it
// ends; then checks that nothing that was said was lost or done twice. Usage: troupe_crash_test
// [SEEDS] [FIRST_SEED]; prints the seed of a failure, which repeats it.
#include "tests/apps/process.hpp"
#include "tests/support/reads.hpp"
#include "tests/support/temporary_directory.hpp"
#include <troupe/store/store.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

using namespace troupe::testing;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

constexpr int kills_max = 4;
constexpr int tasks = 17;

/// Tasks of a few milliseconds: a small diamond, a plan that waits for another, one whose tasks
/// wait for another's, a task that fails once. No more than about 80 ms in all.
constexpr const char* document = R"({"name": "Crash me", "plans": [
  {"name": "one", "tasks": [
    {"name": "a", "agent": "echo", "input": {"text": "x"}},
    {"name": "b", "agent": "sleep", "input": {"seconds": 0.004}, "dependencies": ["a"]},
    {"name": "c", "agent": "sleep", "input": {"seconds": 0.006}, "dependencies": ["a"]},
    {"name": "d", "agent": "sleep", "input": {"seconds": 0.008}, "dependencies": ["a"]},
    {"name": "e", "agent": "scripted", "dependencies": ["b"],
     "input": {"steps": [{"progress": {"id": "p", "progress": 1, "total": 2}}, {"sleep": 0.004}, {"artifact": {"name": "half", "text": "1"}}]}},
    {"name": "f", "agent": "echo", "input": {"text": "y"}, "dependencies": ["b", "c"]},
    {"name": "g", "agent": "sleep", "input": {"seconds": 0.005}, "dependencies": ["d", "e", "f"]}]},
  {"name": "two", "dependencies": ["one"], "tasks": [
    {"name": "h", "agent": "echo", "input": {"text": "${tasks.h0.artifacts[0].text}"}, "dependencies": ["h0"]},
    {"name": "h0", "agent": "echo", "input": {"text": "z"}},
    {"name": "i", "agent": "sleep", "input": {"seconds": 0.003}},
    {"name": "j", "agent": "sleep", "input": {"seconds": 0.003}, "dependencies": ["i"]},
    {"name": "k", "agent": "sleep", "input": {"seconds": 0.003}, "dependencies": ["j"]},
    {"name": "l", "agent": "sleep", "input": {"seconds": 0.003}, "dependencies": ["k"]},
    {"name": "m", "agent": "echo", "input": {"text": "end"}, "dependencies": ["l", "h"]}]},
  {"name": "three", "tasks": [
    {"name": "n", "agent": "scripted", "dependencies": ["c"], "retry": {"maxAttempts": 2, "backoff": 0.003},
     "input": {"steps": [{"sleep": 0.002}, {"failUntilAttempt": 2, "reason": "not yet"}, {"artifact": {"name": "out", "text": "at last"}}]}},
    {"name": "o", "agent": "echo", "input": {"text": "${tasks.n.artifacts[0].text}"}, "dependencies": ["n"]},
    {"name": "p", "agent": "sleep", "input": {"seconds": 0.002}, "dependencies": ["o", "plan-0/task-3"]}]}]})";

/// What the processes of one run said, over all of them.
class told {
public:
  void add(const std::string& text) {
    for (const auto& line :
         lines_of(text)) // the last, cut off by the kill, has no newline and is not looked at
      take(json::parse(line).as_object());
  }

  [[nodiscard]] bool anything() const { return !objective_.empty(); }
  [[nodiscard]] const std::string& objective() const { return objective_; }
  [[nodiscard]] const json::object& summary() const { return summary_; }

private:
  void take(const json::object& line) {
    if (line.contains("error")) // nothing was run; the exit code tells
      return;
    const std::string objective(line.at("objective").as_string());
    if (objective_.empty())
      objective_ = objective;
    if (objective != objective_)
      throw std::runtime_error("another objective appeared: " + objective);
    if (!line.contains("event")) {
      summary_ = line;
      return;
    }
    if (line.at("event") != "task_moved")
      return;
    const std::string id(line.at("task").at("id").as_string());
    const std::string state(line.at("state").as_string());
    if (completed_.contains(id))
      throw std::runtime_error("task " + id + " was told completed and then " + state);
    if (state == "completed")
      completed_.insert(id);
    else if (state != "working" && state != "submitted")
      throw std::runtime_error("task " + id + " became " + state);
    auto& attempt = attempts_[id];
    const auto now = line.at("attempt").to_number<int>();
    if (now < attempt)
      throw std::runtime_error("task " + id + " went back to attempt " + std::to_string(now));
    attempt = now;
  }

  std::string objective_;
  std::set<std::string> completed_;
  std::map<std::string, int> attempts_;
  json::object summary_;
};

/// The record itself says that all is done.
void check_record(const std::string& data, const std::string& objective) {
  auto records = troupe::open_rocksdb_store({.directory = data});
  if (!records)
    throw std::runtime_error(records.error().message);
  const auto left = (*records)->recover();
  if (!left)
    throw std::runtime_error(left.error().message);
  const auto view = find_objective(**records, troupe::objective_id(objective));
  if (!view || view->state != troupe::objective_state::completed)
    throw std::runtime_error("the record has no completed " + objective);
  int completed = 0;
  for (const auto& plan : view->plans)
    for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
      const auto record = find_task(**records, plan.task_at(t));
      completed += record && record->status.state == troupe::task_state::completed ? 1 : 0;
    }
  if (completed != tasks)
    throw std::runtime_error("the record has " + std::to_string(completed) + " completed tasks");
}

int run_seed(std::uint64_t seed, const std::string& file, const std::string& place,
             std::chrono::milliseconds usual) {
  std::mt19937_64 random(seed);
  told all;
  std::string data;
  int kills = 0;
  while (true) {
    // A run that was killed before it said anything may have left an unknown one: that is
    // not what goes on here.
    if (!all.anything())
      data = place + "-" + std::to_string(kills);
    std::vector<std::string> words{troupe_binary(), "run",       file, "--data", data,
                                   "--json",        "--no-input"};
    if (all.anything())
      words.emplace_back("--resume");
    process run(words);
    run.close_input();
    if (kills < kills_max) {
      // Half of the time at any moment, half of the time right after something was said.
      const auto moment =
          std::chrono::milliseconds(random() % static_cast<std::uint64_t>(usual.count() + 1));
      const auto lines = random() % 50 == 0 ? 1 : random() % 60;
      const bool by_time = random() % 2 == 0;
      run.read_until(
          [&](const process& p) {
            return !by_time
                   && static_cast<std::size_t>(std::count(p.out().begin(), p.out().end(), '\n'))
                          > lines;
          },
          by_time ? moment : 30s);
      run.signal(SIGKILL);
    }
    const int code = run.wait(120s);
    const bool begun_before = all.anything();
    all.add(run.out());
    if (code == 128 + SIGKILL) {
      ++kills;
      continue;
    }
    if (code == 0)
      break;
    // The kill came after the end was recorded and before it was told: there is nothing to resume.
    if (code == 2 && begun_before && run.err().find("no unfinished run") != std::string::npos)
      break;
    throw std::runtime_error("exit code " + std::to_string(code) + ": " + run.err());
  }
  const auto& summary = all.summary();
  if (!summary.empty()
      && (summary.at("status") != "completed" || summary.at("tasks").at("completed") != tasks))
    throw std::runtime_error("it ended like this: " + json::serialize(summary));
  check_record(data, all.objective());
  return kills;
}

} // namespace

int main(int argc, char** argv) {
  const auto seeds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100;
  const auto first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const temporary_directory place;
  const auto file = place.file("crash.json", document);
  const auto before = std::chrono::steady_clock::now();
  const auto whole =
      run_program({troupe_binary(), "run", file, "--data", place / "whole", "--json"});
  const auto usual = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - before);
  if (whole.code != 0) {
    std::fprintf(stderr, "without a kill it ends with %d: %s%s\n", whole.code, whole.out.c_str(),
                 whole.err.c_str());
    return 1;
  }
  std::atomic<std::uint64_t> next{first};
  std::atomic<int> failures{0};
  std::atomic<int> kills{0};
  std::mutex print;
  const auto work = [&] {
    for (auto seed = next++; seed < first + seeds; seed = next++) {
      const auto data = place / std::to_string(seed);
      try {
        kills += run_seed(seed, file, data, usual);
      } catch (const std::exception& error) {
        const std::lock_guard lock(print);
        std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(seed),
                     error.what());
        ++failures;
      }
    }
  };
  std::vector<std::thread> workers;
  for (int i = 0; i < 3; ++i)
    workers.emplace_back(work);
  for (auto& each : workers)
    each.join();
  std::printf("%llu seeds, %d kills, %d failures\n", static_cast<unsigned long long>(seeds),
              kills.load(), failures.load());
  return failures == 0 ? 0 : 1;
}
