// Question: how long does it take to start again, and how does that grow with what was done before?
//
// A data directory with N ended tasks (objectives of 100 no-op tasks each) and possibly some
// live objectives is filled by a process that then ends as if killed. Measured in a fresh process:
// opening the store and recovering from it, until the live objectives could be set going again;
// pages of the files are dropped from the page cache before. Baseline: reading the same files from
// first to last byte, as cold. Also what the process then has resident. Checked: exactly the live
// objectives come back, and ended tasks are found. Units: ms, MB. Knobs: --threads, --rounds,
// --filter (`100000`, `live`).
#include "bench/support/executor.hpp"
#include "bench/support/harness.hpp"
#include "bench/support/process.hpp"
#include "tests/support/temporary_directory.hpp"
#include <troupe/store/await.hpp>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <future>
#include <mutex>

#include <fcntl.h>
#include <unistd.h>

namespace {

using namespace troupe;
using namespace troupe::bench;
using troupe::testing::temporary_directory;

constexpr std::size_t tasks_per_objective = 100;
constexpr std::size_t objectives_under_way_max = 100;

struct history {
  std::size_t ended_tasks;
  std::size_t live_objectives;

  [[nodiscard]] std::string name() const {
    return std::to_string(ended_tasks) + " ended"
           + (live_objectives
                  ? ", " + std::to_string(live_objectives * tasks_per_objective) + " live"
                  : "");
  }
};

objective_spec wide_objective(const std::string& id, const std::string& agent) {
  auto plan = std::make_shared<plan_spec>();
  plan->name = "history";
  plan->tasks.resize(tasks_per_objective);
  for (std::size_t i = 0; i < tasks_per_objective; ++i) {
    plan->tasks.edit(i).name = "step " + std::to_string(i);
    plan->tasks.edit(i).agent = agent;
  }
  objective_spec made;
  made.id = objective_id(id);
  made.name = "history";
  made.plans.push_back(std::move(plan));
  return made;
}

std::string live_id(std::size_t i) {
  return "live-" + std::to_string(i);
}

std::string ended_id(std::size_t i) {
  return "done-" + std::to_string(i);
}

/// Waits until each of its tasks works.
class begun_watch final : public watcher {
public:
  void on_change(const change_ptr& change) override {
    for (const auto& one : change->events)
      if (const auto* moved = std::get_if<task_moved>(&one);
          moved && moved->to == task_state::working)
        if (++begun_ == tasks_per_objective)
          all_.set_value("");
  }
  [[nodiscard]] std::promise<std::string>& all() noexcept { return all_; }

private:
  std::size_t begun_ = 0;
  std::promise<std::string> all_;
};

/// Counts what is under way, as the thread that makes it waits.
class gate {
public:
  void enter() {
    std::unique_lock lock(guard_);
    changed_.wait(lock, [&] { return under_way_ < objectives_under_way_max; });
    ++under_way_;
  }
  void leave(const std::string& problem) {
    const std::lock_guard lock(guard_);
    if (problem_.empty())
      problem_ = problem;
    --under_way_;
    changed_.notify_one();
  }
  void wait_all() {
    std::unique_lock lock(guard_);
    changed_.wait(lock, [&] { return under_way_ == 0; });
    check(problem_.empty(), problem_);
  }

private:
  std::mutex guard_;
  std::condition_variable changed_;
  std::size_t under_way_ = 0;
  std::string problem_;
};

/// Fills `directory`; runs in a process that ends without closing anything.
std::vector<double> fill(const history& history, const std::string& directory,
                         std::size_t threads) {
  auto all = executor::durable(threads, directory);
  gate under_way;
  const auto leave = [&under_way](const std::string& problem) { under_way.leave(problem); };
  for (std::size_t i = 0; i < history.ended_tasks / tasks_per_objective; ++i) {
    under_way.enter();
    all->start(wide_objective(ended_id(i), "noop"),
               std::make_shared<objective_watch>(tasks_per_objective, leave), leave);
  }
  under_way.wait_all();
  std::vector<std::future<std::string>> begun;
  for (std::size_t i = 0; i < history.live_objectives; ++i) {
    auto watch = std::make_shared<begun_watch>();
    begun.push_back(watch->all().get_future());
    all->start(wide_objective(live_id(i), "hang"), watch,
               [watch](const std::string& problem) { watch->all().set_value(problem); });
  }
  for (auto& one : begun) {
    const auto problem = one.get();
    check(problem.empty(), problem);
  }
  all->records().flush();
  (void)all.release();
  return {};
}

std::vector<std::string> files_of(const std::string& directory) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory))
    if (entry.is_regular_file())
      paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// Clean pages leave the page cache; dirty ones are written first.
void forget_pages(const std::string& directory) {
  for (const auto& path : files_of(directory)) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    check(file >= 0, "cannot open " + path);
    ::fdatasync(file);
    ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    ::close(file);
  }
}

double read_all(const std::string& directory) {
  forget_pages(directory);
  std::array<char, 1 << 16> chunk;
  return 1000.0 * seconds_of([&] {
           for (const auto& path : files_of(directory)) {
             const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
             check(file >= 0, "cannot open " + path);
             while (::read(file, chunk.data(), chunk.size()) > 0) {
             }
             ::close(file);
           }
         });
}

double bytes_of(const std::string& directory) {
  double bytes = 0.0;
  for (const auto& path : files_of(directory))
    bytes += static_cast<double>(std::filesystem::file_size(path));
  return bytes;
}

void check_recovered(const history& history, store& records, const recovered& found) {
  check(found.objectives.size() == history.live_objectives && found.lone_tasks.empty(),
        "recovered " + std::to_string(found.objectives.size()) + " objectives instead of "
            + std::to_string(history.live_objectives));
  for (const auto& one : found.objectives) {
    check(one->state == objective_state::working && one->plans.size() == 1,
          one->id.str() + " is not as it was");
    const auto& tasks = one->plans.front().tasks;
    check(std::all_of(tasks.begin(), tasks.end(),
                      [](const task_summary& slot) { return slot.state == task_state::working; }),
          one->id.str() + " lost a task that was running");
  }
  const auto ended = history.ended_tasks / tasks_per_objective;
  for (const std::size_t i : {std::size_t{0}, ended / 2, ended - 1})
    if (ended > 0) {
      const auto done = await_objective(records, objective_id(ended_id(i)));
      check(done && (*done)->state == objective_state::completed,
            ended_id(i) + " had ended and has not any more");
    }
}

/// Opening and recovering, in ms, and resident MB thereafter, less those before.
std::vector<double> start_again(const history& history, const std::string& directory) {
  forget_pages(directory);
  const auto resident_before = resident_bytes();
  std::unique_ptr<store> records;
  recovered found;
  const auto seconds = seconds_of([&] {
    auto opened = open_rocksdb_store({.directory = directory, .durability = durability::sync});
    check(opened.has_value(), opened.has_error() ? opened.error().message : "");
    records = std::move(*opened);
    auto back = records->recover();
    check(back.has_value(), back.has_error() ? back.error().message : "");
    found = std::move(*back);
  });
  const auto resident = resident_bytes() - resident_before;
  check_recovered(history, *records, found);
  return {1000.0 * seconds, resident / 1e6};
}

void run_history(const options& how, report& results, const history& history) {
  if (!how.wants(history.name()))
    return;
  const temporary_directory place;
  const auto directory = place / "data";
  (void)run_in_child([&] { return fill(history, directory, how.threads); });
  // The first start cleans up after the process that was killed; later ones find a store that was
  // closed.
  const auto first_base = read_all(directory);
  const auto size = bytes_of(directory);
  const auto first = run_in_child([&] { return start_again(history, directory); });
  std::vector<double> base;
  std::vector<double> taken;
  for (std::size_t round = 0; round < how.rounds_or(5); ++round) {
    base.push_back(read_all(directory));
    taken.push_back(run_in_child([&] { return start_again(history, directory); }).at(0));
  }
  results.add(history.name() + ": after a kill", first.at(0), "ms", first_base);
  results.add(history.name() + ": again", median(taken), "ms", median(base), ratio_of(taken, base));
  results.add(history.name() + ": on disk", size / 1e6, "MB");
  results.add(history.name() + ": resident", first.at(1), "MB");
}

} // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "recovery", "How long does it take to start again?",
                       [](const options& how, report& results) {
                         results.heading("open + recover; baseline: reading the same files once");
                         const auto all =
                             how.quick ? std::vector<history>{{0, 0}, {1'000, 2}}
                                       : std::vector<history>{{0, 0},           {10'000, 0},
                                                              {100'000, 0},     {1'000'000, 0},
                                                              {0, 100},         {100'000, 100},
                                                              {1'000'000, 100}, {0, 1'000}};
                         for (const auto& one : all)
                           run_history(how, results, one);
                       });
}
