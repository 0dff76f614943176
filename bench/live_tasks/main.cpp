// Question: how much memory does a task cost while it is alive?
//
// Objectives of tasks that have begun and never end (an agent of the benchmark's own, whose run
// holds its port), the document they came from and all records included: resident memory when all
// are `working`, less resident memory before the first was made, divided by their number. Baseline:
// a bare CAF actor that holds an id. Each is measured in a process of its own. Unit: bytes a task.
// Knobs: --tasks, --threads, --filter (`one objective`, `10 objectives`, `rocksdb`).
#include "bench/live_tasks/bare_actors.hpp"
#include "bench/support/executor.hpp"
#include "bench/support/harness.hpp"
#include "bench/support/live_objectives.hpp"
#include "bench/support/process.hpp"
#include "tests/support/temporary_directory.hpp"

#include <cstdlib>

namespace {

using namespace troupe;
using namespace troupe::bench;
using troupe::testing::temporary_directory;

struct memory {
  double resident;
  double allocated;
  [[nodiscard]] static memory now() { return {resident_bytes(), allocated_bytes()}; }
};

std::vector<double> per_task(const memory& before, std::size_t tasks) {
  const auto after = memory::now();
  const auto count = static_cast<double>(tasks);
  return {(after.resident - before.resident) / count, (after.allocated - before.allocated) / count};
}

std::vector<double> measure_bare(std::size_t tasks, std::size_t threads) {
  std::vector<double> figures;
  const auto before = memory::now();
  with_bare_actors(tasks, threads, [&] { figures = per_task(before, tasks); });
  return figures;
}

std::vector<double> measure_executor(std::unique_ptr<executor> all, std::size_t objectives,
                                     std::size_t tasks) {
  const auto before = memory::now();
  start_live(*all, objectives, tasks / objectives);
  check(all->records().status().live_tasks == tasks, "the store does not count every live task");
  auto figures = per_task(before, tasks);
  // A million live actors are not worth the time it takes to end them: the process leaves by _exit.
  (void)all.release();
  return figures;
}

void run_all(const options& how, report& results, const std::string& tasks_text) {
  std::size_t tasks = how.quick ? 10'000 : 1'000'000;
  if (!tasks_text.empty())
    tasks = std::strtoull(tasks_text.c_str(), nullptr, 10);
  check(tasks >= 10 && tasks % 10 == 0, "--tasks must be a multiple of ten");
  const auto base = run_in_child([&] { return measure_bare(tasks, how.threads); });
  results.heading(std::to_string(tasks) + " live tasks; baseline: a bare CAF actor with an id");
  results.add("bare actor, resident", base.at(0), "bytes/task");
  results.add("bare actor, allocated", base.at(1), "bytes/task");
  const auto add = [&](const std::string& name,
                       const std::function<std::vector<double>()>& measure) {
    if (!how.wants(name))
      return;
    const auto figures = run_in_child(measure);
    results.add(name + ", resident", figures.at(0), "bytes/task", base.at(0));
    results.add(name + ", allocated", figures.at(1), "bytes/task", base.at(1));
  };
  add("memory, one objective",
      [&] { return measure_executor(executor::in_memory(how.threads), 1, tasks); });
  add("memory, 10 objectives",
      [&] { return measure_executor(executor::in_memory(how.threads), 10, tasks); });
  const temporary_directory place;
  add("rocksdb, 10 objectives",
      [&] { return measure_executor(executor::durable(how.threads, place / "data"), 10, tasks); });
}

} // namespace

int main(int argc, char** argv) {
  std::string tasks;
  return run_benchmark(argc, argv, "live_tasks", "How many bytes does a live task cost?",
                       [&](const options& how, report& results) { run_all(how, results, tasks); },
                       {{"--tasks", "live tasks (1000000)", &tasks}});
}
