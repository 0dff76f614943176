// Question: how many tasks a second can the executor carry through their whole life, and how much
// of the actor system's own speed is that?
//
// Many plans of one shape at once, no-op tasks, so that every core has something to do. Contenders:
// `skeleton` (bare CAF), `memory` (Troupe, memory store), `rocksdb` (Troupe, every change fsynced
// before it is seen). In each round all run in turn; the ratio is the median over rounds of
// contender / skeleton. Unit: tasks a second. What the disk alone could do is measured as well: one
// thread appends what the journal has, in as many pieces, each with fdatasync. And: how long a
// chain of ten takes alone when each step is durable before the next begins (ms), against ten
// appends with fdatasync. Knobs: --tasks (all plans together), --in-flight, --threads, --rounds,
// --filter (`rocksdb`, `chain`, `/1000`).
#include "bench/plan_throughput/contender.hpp"
#include "bench/support/executor.hpp"
#include "bench/support/harness.hpp"
#include "tests/support/temporary_directory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace {

using namespace troupe::bench;
using troupe::testing::temporary_directory;

struct named_contender {
  std::string name;
  contender run;
};

/// Seconds for appends of one thread to a new file, each followed by fdatasync: `times` of them,
/// `bytes` in all.
double append_durably(const std::string& directory, std::uint64_t times, std::uint64_t bytes) {
  const auto path = directory + "/appends";
  const int file = ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
  check(file >= 0, "cannot write " + path);
  const std::string piece(bytes / std::max<std::uint64_t>(times, 1), 'x');
  const auto seconds = seconds_of([&] {
    for (std::uint64_t i = 0; i < times; ++i)
      check(::write(file, piece.data(), piece.size()) == static_cast<ssize_t>(piece.size())
                && ::fdatasync(file) == 0,
            "cannot write " + path);
  });
  ::close(file);
  return seconds;
}

double tasks_of(const load& load) {
  return static_cast<double>(load.plans * load.shape->size());
}

/// `disk` appends what the durable run before it had in its journal, in as many pieces: the disk
/// alone.
std::vector<named_contender> contenders(const load& load, disk_use& used) {
  return {
      {"skeleton", [load] { return run_skeleton(load); }},
      {"memory", [load] { return run_in_memory(load); }},
      {"rocksdb",
       [load, &used] {
         const temporary_directory place;
         return run_durable(load, place.path(), used);
       }},
      {"disk",
       [load, &used] {
         const temporary_directory place;
         return tasks_of(load)
                / append_durably(place.path(), used.journal.groups, used.journal.group_bytes);
       }},
  };
}

/// The last two rows of `figures` are those of `rocksdb` and `disk`.
void add_disk_use(report& results, const std::string& name, const load& load, const disk_use& used,
                  const std::vector<std::vector<double>>& figures) {
  const auto& durable = figures[figures.size() - 2];
  const auto grouped = static_cast<double>(used.journal.group_bytes);
  const auto groups = static_cast<double>(std::max<std::uint64_t>(used.journal.groups, 1));
  results.add(name + " of the disk", median(durable), "tasks/s", median(figures.back()),
              ratio_of(durable, figures.back()));
  results.add(name + " in a group", tasks_of(load) / groups, "tasks");
  results.add(name + " in the journal", grouped / tasks_of(load), "bytes/task");
  results.add(name + " written", static_cast<double>(used.bytes) / tasks_of(load), "bytes/task",
              grouped / tasks_of(load));
}

void run_shape(const options& how, report& results, const load& load) {
  const auto suffix = '/' + load.shape->name + '/' + std::to_string(load.shape->size());
  const bool is_durable = how.wants("rocksdb" + suffix);
  disk_use used;
  auto all = contenders(load, used);
  std::erase_if(all, [&](const auto& one) {
    return one.name == "disk" ? !is_durable
                              : one.name != "skeleton" && !how.wants(one.name + suffix);
  });
  if (all.size() == 1 && !how.wants("skeleton" + suffix))
    return;
  std::vector<contender> runs;
  for (const auto& one : all)
    runs.push_back(one.run);
  const auto figures = measure_in_turn(how.rounds_or(5), runs);
  results.add("skeleton" + suffix, median(figures[0]), "tasks/s");
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].name != "disk")
      results.add(all[i].name + suffix, median(figures[i]), "tasks/s", median(figures[0]),
                  ratio_of(figures[i], figures[0]));
  if (is_durable)
    add_disk_use(results, "rocksdb" + suffix, load, used, figures);
}

void run_chain_alone(const options& how, report& results) {
  constexpr auto name = "rocksdb/chain/10 alone";
  if (!how.wants(name))
    return;
  results.heading("One chain of ten tasks alone, each step durable before the next");
  const std::size_t times = how.quick ? 5 : 300;
  const temporary_directory place;
  (void)run_alone(make_chain(10), times / 5 + 1, how.threads, place.path());
  std::vector<double> floor;
  for (std::size_t i = 0; i < times / 5 + 1; ++i)
    floor.push_back(1000.0 * append_durably(place.path(), 10, std::uint64_t{10} * 4096));
  auto taken = run_alone(make_chain(10), times, how.threads, place.path());
  for (std::size_t i = 0; i < times / 5 + 1; ++i)
    floor.push_back(1000.0 * append_durably(place.path(), 10, std::uint64_t{10} * 4096));
  for (auto& one : taken)
    one *= 1000.0;
  results.add(std::string(name) + " p50", median(taken), "ms", median(floor));
  results.add(std::string(name) + " p99", percentile(taken, 0.99), "ms", percentile(floor, 0.99));
}

void run_all(const options& how, report& results, const std::string& tasks_text,
             const std::string& in_flight_text) {
  std::size_t tasks = how.quick ? 2'000 : 200'000;
  std::size_t in_flight = 20'000;
  if (!tasks_text.empty())
    tasks = std::strtoull(tasks_text.c_str(), nullptr, 10);
  if (!in_flight_text.empty())
    in_flight = std::strtoull(in_flight_text.c_str(), nullptr, 10);
  check(tasks >= 1000 && in_flight >= 1,
        "--tasks must be at least 1000 and --in-flight at least 1");
  for (const std::size_t size : {std::size_t{10}, std::size_t{100}, std::size_t{1000}}) {
    results.heading(std::to_string(tasks / size) + " plans of " + std::to_string(size) + " tasks");
    for (const auto& shape :
         {make_chain(size), make_fan_out(size), make_fan_in(size), make_lattice(size)})
      run_shape(how, results, {shape, tasks / size, how.threads, in_flight});
  }
  run_chain_alone(how, results);
}

} // namespace

int main(int argc, char** argv) {
  std::string tasks;
  std::string in_flight;
  return run_benchmark(
      argc, argv, "plan_throughput", "How many tasks a second, against bare CAF actors?",
      [&](const options& how, report& results) { run_all(how, results, tasks, in_flight); },
      {{"--tasks", "tasks of all plans of a case together (200000)", &tasks},
       {"--in-flight", "tasks of unfinished plans at any time, at most (20000)", &in_flight}});
}
