// Question: does the cost of a task stay the same however large the plan is, and however many
// objectives live?
//
// `lattice`, `fan-out`: one plan of 1,000 to 1,000,000 no-op tasks alone, small ones again and
// again until there were as many tasks: us and CPU time a task; and the allocated bytes of a live
// task of a plan of that size. The tasks of a fan-out run in the order of the document, those of a
// lattice far from each other. `alive`: 1 to 100,000 objectives of one task that never ends: the
// allocated bytes of each, and the times of a task of other plans (lattices of 1,000) meanwhile.
// Each size is measured in a process of its own. The baseline is the smallest size, so the ratio
// says how much dearer the size is; it should be between 0.8 and 1.2. Draws the ratios as charts,
// unless there is a filter. Knobs: --tasks and --objectives (the greatest sizes), --charts DIR,
// --threads, --rounds, --filter (`memory/lattice`, `rocksdb/alive`).
#include "bench/support/chart.hpp"
#include "bench/support/executor.hpp"
#include "bench/support/harness.hpp"
#include "bench/support/live_objectives.hpp"
#include "bench/support/process.hpp"
#include "bench/support/shape.hpp"
#include "tests/support/temporary_directory.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace troupe::bench;
using troupe::testing::temporary_directory;

struct settings {
  std::size_t tasks_max = 1'000'000;
  std::size_t objectives_max = 100'000;
  std::size_t work_tasks = 100'000; ///< That are timed while objectives are alive.
  std::filesystem::path charts;     ///< Directory.
};

/// One figure of a case.
struct cost_name {
  std::string name;
  std::string unit;
  bool is_drawn = true;
  std::size_t least = 1; ///< Smaller sizes are not comparable.
};

/// What is measured at several sizes.
struct growth_case {
  std::string name;
  std::vector<std::size_t> sizes;
  std::vector<cost_name> costs;
  /// One figure for each cost; in a child process, with an empty directory.
  std::function<std::vector<double>(std::size_t size, const temporary_directory& place)> measure;
};

std::vector<std::size_t> powers_of_ten(std::size_t least, std::size_t most) {
  std::vector<std::size_t> out;
  for (auto size = least; size <= most; size *= 10)
    out.push_back(size);
  return out;
}

std::unique_ptr<executor> open(const std::string& store, std::size_t threads,
                               const temporary_directory& place) {
  return store == "memory" ? executor::in_memory(threads)
                           : executor::durable(threads, place / "data");
}

struct task_time {
  double us = 0.0;     ///< A task.
  double cpu_us = 0.0; ///< A task, of all threads: what else runs on the machine is not in it.
};

/// Plans of this shape, one after the other, `tasks` in all.
task_time time_plans(executor& all, const shape& one, std::size_t tasks) {
  const auto size = one.size();
  const auto spec = spec_of(one);
  const auto times = std::max<std::size_t>(1, tasks / size);
  const auto cpu_before = cpu_seconds();
  const auto seconds = seconds_of([&] {
    for (std::size_t i = 0; i < times; ++i)
      all.run(spec);
  });
  const auto us_a_task = 1e6 / static_cast<double>(times * size);
  return {seconds * us_a_task, (cpu_seconds() - cpu_before) * us_a_task};
}

/// What is made once, such as tables and threads, is no cost of a size.
void warm_up(executor& all) {
  (void)time_plans(all, *make_lattice(1'000), 1'000);
  start_live(all, 1, 1);
}

/// Allocated bytes for each live task. The executor is not ended: this process is a child
/// that leaves by _exit.
double live_bytes(executor& all, std::size_t objectives, std::size_t tasks) {
  const auto before = allocated_bytes();
  start_live(all, objectives, tasks);
  return (allocated_bytes() - before) / static_cast<double>(objectives * tasks);
}

growth_case plan_case(const std::string& store, const std::string& name,
                      shape_ptr (*make)(std::size_t), const options& how, const settings& set) {
  // The agent of the live tasks never answers: the shape is no matter, and with RocksDB most bytes
  // are those of its buffers.
  const bool is_drawn = store == "memory" && name == "lattice";
  growth_case out{store + '/' + name, powers_of_ten(how.quick ? 10 : 1'000, set.tasks_max), {}, {}};
  out.costs = {{"time", "us/task", false}, {"cpu", "us/task"}, {"bytes", "bytes/task", is_drawn}};
  out.measure = [=](std::size_t size, const temporary_directory& place) {
    auto all = open(store, how.threads, place);
    warm_up(*all);
    // As many tasks for each size: what has ended also takes room in caches and tables.
    const auto time = time_plans(*all, *make(size), set.tasks_max);
    const auto bytes = live_bytes(*all, 1, size);
    (void)all.release();
    return std::vector<double>{time.us, time.cpu_us, bytes};
  };
  return out;
}

growth_case alive_case(const std::string& store, const options& how, const settings& set) {
  growth_case out{store + "/alive", powers_of_ten(1, set.objectives_max), {}, {}};
  out.costs = {{"time", "us/task", false},
               {"cpu", "us/task"},
               {"bytes", "bytes/objective", store == "memory", how.quick ? 1U : 100U}};
  out.measure = [=](std::size_t size, const temporary_directory& place) {
    auto all = open(store, how.threads, place);
    warm_up(*all);
    const auto bytes = live_bytes(*all, size, 1);
    const auto time = time_plans(*all, *make_lattice(1'000), set.work_tasks);
    (void)all.release();
    return std::vector<double>{time.us, time.cpu_us, bytes};
  };
  return out;
}

growth_line add_growth(report& results, const std::string& name, const std::string& unit,
                       const std::vector<std::pair<std::size_t, std::vector<double>>>& rounds) {
  growth_line line{name, {}};
  const auto& first = rounds.front().second;
  for (const auto& [size, values] : rounds) {
    const auto ratio = ratio_of(values, first);
    results.add(name + '/' + std::to_string(size), median(values), unit, median(first), ratio);
    line.points.emplace_back(static_cast<double>(size), ratio);
  }
  return line;
}

void run_case(const options& how, report& results, const growth_case& one,
              std::vector<growth_line>& lines) {
  if (!how.wants(one.name))
    return;
  // By size, by cost, by round; all sizes in turn in each round.
  std::vector<std::vector<std::vector<double>>> figures(
      one.sizes.size(), std::vector<std::vector<double>>(one.costs.size()));
  for (std::size_t round = 0; round < how.rounds_or(3); ++round)
    for (std::size_t i = 0; i < one.sizes.size(); ++i) {
      const temporary_directory place;
      const auto measured = run_in_child([&] { return one.measure(one.sizes[i], place); });
      for (std::size_t cost = 0; cost < one.costs.size(); ++cost)
        figures[i][cost].push_back(measured.at(cost));
    }
  results.heading(one.name + "; baseline: the smallest size");
  for (std::size_t cost = 0; cost < one.costs.size(); ++cost) {
    const auto& named = one.costs[cost];
    std::vector<std::pair<std::size_t, std::vector<double>>> rounds;
    for (std::size_t i = 0; i < one.sizes.size(); ++i)
      if (one.sizes[i] >= named.least)
        rounds.emplace_back(one.sizes[i], figures[i][cost]);
    auto line = add_growth(results, one.name + ' ' + named.name, named.unit, rounds);
    if (named.is_drawn)
      lines.push_back(std::move(line));
  }
}

void draw(const std::filesystem::path& path, const std::string& axis,
          const std::vector<growth_line>& lines) {
  if (path.has_parent_path())
    std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path);
  file << draw_growth("Cost relative to the smallest size", axis, lines) << std::flush;
  check(file.good(), "cannot write " + path.string());
}

void run_all(const options& how, report& results, const settings& set) {
  std::vector<growth_line> plans;
  std::vector<growth_line> alive;
  for (const std::string store : {"memory", "rocksdb"}) {
    run_case(how, results, plan_case(store, "lattice", &make_lattice, how, set), plans);
    run_case(how, results, plan_case(store, "fan-out", &make_fan_out, how, set), plans);
    run_case(how, results, alive_case(store, how, set), alive);
  }
  if (how.filter.empty()) {
    draw(set.charts / "growth_plan.svg", "tasks of the plan", plans);
    draw(set.charts / "growth_alive.svg", "objectives alive", alive);
  }
}

std::size_t number_or(const std::string& text, std::size_t other) {
  return text.empty() ? other : std::strtoull(text.c_str(), nullptr, 10);
}

} // namespace

int main(int argc, char** argv) {
  std::string tasks;
  std::string objectives;
  std::string charts;
  return run_benchmark(
      argc, argv, "growth", "Does a task cost the same however many there are?",
      [&](const options& how, report& results) {
        settings set;
        set.tasks_max = number_or(tasks, how.quick ? 1'000 : set.tasks_max);
        set.objectives_max = number_or(objectives, how.quick ? 100 : set.objectives_max);
        if (how.quick)
          set.work_tasks = 1'000;
        set.charts = charts.empty() ? std::filesystem::path(how.out).parent_path()
                                    : std::filesystem::path(charts);
        check(set.tasks_max >= 1'000 && set.objectives_max >= 100,
              "--tasks must be at least 1000 and --objectives at least 100");
        run_all(how, results, set);
      },
      {{"--tasks", "tasks of the largest plan (1000000)", &tasks},
       {"--objectives", "the most objectives alive (100000)", &objectives},
       {"--charts", "directory of the charts; default: that of the JSON lines", &charts}});
}
