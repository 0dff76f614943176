// Question: how close to its critical path does a real plan finish, however wide it is?
//
// Every recorded plan of --input (or the environment's TROUPE_WORKLOADS), each task a `sleep` of
// its measured time, all times scaled so that the plan's critical path is --critical-seconds. One
// plan at a time; no limit on what runs at once. The critical path is computed here, apart from the
// executor; the makespan is taken from before `create` until the objective is visibly completed, so
// reading the plan's document is not in it and building, scheduling and recording are. Unit: ratio
// makespan / critical path (baseline and ratio: seconds). Every task must have completed exactly
// once. Knobs: --input, --critical-seconds, --store memory|rocksdb, --limit, --threads, --filter
// (names of instances).
#include "bench/real_plans/instances.hpp"
#include "bench/support/executor.hpp"
#include "bench/support/harness.hpp"
#include "tests/support/temporary_directory.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>

namespace {

using namespace troupe::bench;
using troupe::testing::temporary_directory;

constexpr int skipped = 77; ///< CTest's SKIP_RETURN_CODE of all benchmarks.

struct settings {
  std::string input;
  std::string critical_seconds;
  std::string store = "rocksdb";
  std::string limit;
};

struct group {
  std::string name;
  std::vector<instance> instances;
};

/// One group a file or folder: `<input>/x.jsonl.gz` and `<input>/folder` are judged apart.
std::vector<group> read_groups(const std::string& input) {
  namespace fs = std::filesystem;
  std::vector<group> groups;
  if (!fs::is_directory(input)) {
    groups.push_back({fs::path(input).filename().string(), read_instances(input)});
    return groups;
  }
  std::vector<fs::path> entries{fs::directory_iterator(input), fs::directory_iterator()};
  std::sort(entries.begin(), entries.end());
  group loose{fs::path(input).filename().string(), {}};
  for (const auto& path : entries) {
    auto found = read_instances(path.string());
    if (path.extension() == ".json")
      std::move(found.begin(), found.end(), std::back_inserter(loose.instances));
    else if (!found.empty())
      groups.push_back({path.filename().string(), std::move(found)});
  }
  if (!loose.instances.empty())
    groups.push_back(std::move(loose));
  return groups;
}

/// Evenly chosen, so that a limit keeps the mixture.
void thin_out(std::vector<instance>& all, std::size_t limit) {
  if (limit == 0 || all.size() <= limit)
    return;
  std::vector<instance> kept;
  for (std::size_t i = 0; i < limit; ++i)
    kept.push_back(std::move(all[i * all.size() / limit]));
  all = std::move(kept);
}

void run_group(const options& how, report& results, executor& all, group& group, double critical_s,
               std::size_t limit) {
  std::erase_if(group.instances, [&](const instance& one) {
    return !how.wants(one.name) || one.critical_path_s <= 0.0;
  });
  thin_out(group.instances, limit);
  if (group.instances.empty())
    return;
  results.heading(group.name + ": " + std::to_string(group.instances.size())
                  + " plans, critical path " + std::to_string(critical_s)
                  + " s each; value: makespan / critical path");
  std::vector<double> ratios;
  std::vector<double> wide;
  std::size_t tasks = 0;
  for (const auto& one : group.instances) {
    const auto scaled = scaled_to(one, critical_s);
    const auto makespan = seconds_of([&] { all.run(scaled.objective); });
    check(makespan >= critical_s, one.name + " took less than its critical path");
    ratios.push_back(makespan / critical_s);
    tasks += one.tasks;
    if (one.width >= 500)
      wide.push_back(ratios.back());
    if (group.instances.size() <= 200)
      results.add(group.name + '/' + one.name + " (" + std::to_string(one.tasks) + " tasks, "
                      + std::to_string(one.width) + " wide)",
                  makespan, "s", critical_s);
  }
  std::printf("  %zu tasks completed, each once\n", tasks);
  results.add(group.name + " median", median(ratios), "x critical");
  results.add(group.name + " p99", percentile(ratios, 0.99), "x critical");
  results.add(group.name + " max", percentile(ratios, 1.0), "x critical");
  if (!wide.empty())
    results.add(group.name + " max of " + std::to_string(wide.size()) + " at least 500 wide",
                percentile(wide, 1.0), "x critical");
}

void run_all(const options& how, report& results, const settings& set) {
  const double critical_s = set.critical_seconds.empty()
                                ? (how.quick ? 0.05 : 1.0)
                                : std::strtod(set.critical_seconds.c_str(), nullptr);
  const std::size_t limit =
      set.limit.empty() ? (how.quick ? 3 : 0) : std::strtoull(set.limit.c_str(), nullptr, 10);
  check(critical_s > 0.0, "--critical-seconds must be positive");
  check(set.store == "memory" || set.store == "rocksdb", "--store must be memory or rocksdb");
  auto groups = read_groups(set.input);
  const temporary_directory place;
  const auto all = set.store == "memory" ? executor::in_memory(how.threads)
                                         : executor::durable(how.threads, place / "data");
  for (auto& one : groups)
    run_group(how, results, *all, one, critical_s, limit);
}

} // namespace

int main(int argc, char** argv) {
  settings set;
  if (const char* folder = std::getenv("TROUPE_WORKLOADS"))
    set.input = folder;
  bool skip = false;
  const int code = run_benchmark(
      argc, argv, "real_plans", "How close to its critical path does a real plan finish?",
      [&](const options& how, report& results) {
        skip = set.input.empty();
        if (skip)
          std::printf("skipped: no --input, and TROUPE_WORKLOADS is not set\n");
        else
          run_all(how, results, set);
      },
      {{"--input", "directory, .json or .jsonl.gz; default: $TROUPE_WORKLOADS", &set.input},
       {"--critical-seconds", "every plan's critical path after scaling (1)",
        &set.critical_seconds},
       {"--store", "memory or rocksdb (rocksdb)", &set.store},
       {"--limit", "at most so many plans of each group, evenly chosen; 0 = all", &set.limit}});
  return skip && code == 0 ? skipped : code;
}
