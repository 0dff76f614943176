// Troupe itself, as a C++ program would use it: objectives handed to the gateway, one plan each,
// and a watcher on each that sees every committed change.
#include "bench/support/executor.hpp"

#include "bench/plan_throughput/contender.hpp"
#include "bench/support/harness.hpp"
#include <troupe/store/session_status.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace troupe::bench {

namespace {

/// Bytes that this process has handed over to be written (proc(5), wchar). `write_bytes` is of no
/// use: where the page cache has large folios, one byte counts as up to 1 MiB.
std::uint64_t written_by_process() {
  std::ifstream facts{"/proc/self/io"};
  for (std::string name; facts >> name;) {
    std::uint64_t value = 0;
    facts >> value;
    if (name == "wchar:")
      return value;
  }
  check(false, "/proc/self/io does not say what was written");
  return 0;
}

double run_on(executor& all, const load& load) {
  const auto spec = spec_of(*load.shape);
  plan_window window(plans_in_flight(load));
  const auto leave = [&window](const std::string& problem) { window.leave(problem); };
  const auto seconds = seconds_of([&] {
    for (std::size_t i = 0; i < load.plans; ++i) {
      window.enter();
      all.start(spec, std::make_shared<objective_watch>(load.shape->size(), leave), leave);
    }
    window.wait_all();
  });
  return static_cast<double>(load.plans * load.shape->size()) / seconds;
}

} // namespace

double run_in_memory(const load& load) {
  const auto all = executor::in_memory(load.threads);
  return run_on(*all, load);
}

durable_run run_durable(const load& load, const std::string& directory) {
  const auto before = written_by_process();
  auto all = executor::durable(load.threads, directory);
  durable_run out;
  out.tasks_per_s = run_on(*all, load);
  out.journal = all->records().status().writes;
  all.reset(); // It writes what is left in memory.
  out.written_bytes = written_by_process() - before;
  return out;
}

durable_run run_in_sessions(const load& load, const std::string& directory) {
  const auto before = written_by_process();
  auto all = executor::in_sessions(load.threads, directory);
  durable_run out;
  const auto seconds = seconds_of([&] {
    out.tasks_per_s = run_on(*all, load);
    out.journal = all->records().status().writes;
    const auto* files = sessions_beside(all->records());
    for (auto left = files->sessions().lag_groups; left != 0; left = files->sessions().lag_groups) {
      check(files->sessions().problem.empty(), files->sessions().problem);
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
  });
  out.in_files_per_s = static_cast<double>(load.plans * load.shape->size()) / seconds;
  all.reset();
  out.written_bytes = written_by_process() - before;
  for (const auto& each : std::filesystem::recursive_directory_iterator{directory})
    if (each.path().filename().string().find(".jsonl") != std::string::npos) {
      ++out.session_files;
      out.session_bytes += each.file_size();
    }
  check(out.session_files >= load.plans, "not every objective has a session file");
  return out;
}

std::vector<double> run_alone(const shape_ptr& shape, std::size_t times, std::size_t threads,
                              const std::string& directory) {
  const auto all = executor::durable(threads, directory);
  const auto spec = spec_of(*shape);
  std::vector<double> seconds;
  for (std::size_t i = 0; i < times; ++i)
    seconds.push_back(seconds_of([&] { all->run(spec); }));
  return seconds;
}

} // namespace troupe::bench
