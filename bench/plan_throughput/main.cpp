// Question: how many tasks a second can the executor carry through their whole life, and how much
// of the actor system's own speed is that?
//
// Many plans of one shape at once, no-op tasks, so that every core has something to do. Contenders:
// `skeleton` (bare CAF with Troupe's scheduler), `stock skeleton` (with CAF's own), `memory`
// (Troupe, memory store), `rocksdb` (Troupe, every change fsynced before it is seen). In each round
// all run in turn; the ratio is the median over rounds of contender / skeleton. `session-jsonl`
// (the store of session files, fsynced as well) runs chains and fans; what it reaches until the
// files have everything, too, is a line of its own. Unit: tasks a second. What the disk alone could
// do is measured as well: one thread appends what the journal has, in as many pieces, each with
// fdatasync. For session files one thread writes as many files with as many bytes, and syncs 64 of
// them at once. And: how long a chain of ten takes alone when each step is durable before the next
// begins (us), against ten appends with fdatasync. Knobs: --tasks (all plans together),
// --in-flight, --threads, --rounds, --filter (`rocksdb`, `chain`, `/1000`).
#include "bench/plan_throughput/contender.hpp"
#include "bench/support/disk.hpp"
#include "bench/support/executor.hpp"
#include "bench/support/harness.hpp"
#include "bench/support/latency.hpp"
#include "tests/support/temporary_directory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace troupe::bench;
using troupe::testing::temporary_directory;

double tasks_of(const load& load) {
  return static_cast<double>(load.plans * load.shape->size());
}

/// What was reached in each round.
struct shape_figures {
  std::map<std::string, std::vector<double>> rates;        ///< By contender, tasks a second.
  std::map<std::string, std::vector<durable_run>> durable; ///< By store.
};

/// Runs the contenders with these names in turn. `disk` appends what the durable run before it had
/// in its journal, in as many pieces: the disk alone.
shape_figures run_in_turn(const load& load, std::size_t rounds,
                          const std::vector<std::string>& names) {
  shape_figures out;
  const auto run_disk = [&](const std::string& store) {
    const temporary_directory place;
    const auto& journal = out.durable[store].back().journal;
    return tasks_of(load) / append_durably(place.path(), journal.groups, journal.group_bytes);
  };
  const std::map<std::string, contender> all{
      {"skeleton", [&] { return run_skeleton(load, skeleton_scheduler::ours); }},
      {"stock skeleton", [&] { return run_skeleton(load, skeleton_scheduler::of_caf); }},
      {"memory", [&] { return run_in_memory(load); }},
      {"rocksdb",
       [&] {
         const temporary_directory place;
         auto& runs = out.durable["rocksdb"];
         runs.push_back(run_durable(load, place.path()));
         return runs.back().tasks_per_s;
       }},
      {"session-jsonl",
       [&] {
         const temporary_directory place;
         auto& runs = out.durable["session-jsonl"];
         runs.push_back(run_in_sessions(load, place.path()));
         return runs.back().tasks_per_s;
       }},
      {"rocksdb disk", [&] { return run_disk("rocksdb"); }},
      {"session-jsonl disk", [&] { return run_disk("session-jsonl"); }},
      {"session-jsonl files disk",
       [&] {
         const temporary_directory place;
         const auto& run = out.durable["session-jsonl"].back();
         return tasks_of(load)
                / write_files_durably(place.path(), run.session_files, run.session_bytes);
       }},
  };
  std::vector<contender> runs;
  for (const auto& name : names)
    runs.push_back(all.at(name));
  const auto figures = measure_in_turn(rounds, runs);
  for (std::size_t i = 0; i < names.size(); ++i)
    out.rates[names[i]] = figures[i];
  for (auto& [store, each] : out.durable)
    each.erase(each.begin()); // The warm-up.
  return out;
}

void add_disk_use(report& results, const std::string& store, const std::string& suffix,
                  double tasks, const shape_figures& reached) {
  const auto name = store + suffix;
  const auto& rates = reached.rates.at(store);
  const auto& disk = reached.rates.at(store + " disk");
  std::vector<double> in_group;
  std::vector<double> in_journal;
  std::vector<double> written;
  std::vector<double> in_files;
  for (const auto& run : reached.durable.at(store)) {
    in_files.push_back(run.in_files_per_s);
    in_group.push_back(tasks / static_cast<double>(std::max<std::uint64_t>(run.journal.groups, 1)));
    in_journal.push_back(static_cast<double>(run.journal.group_bytes) / tasks);
    written.push_back(static_cast<double>(run.written_bytes) / tasks);
  }
  results.add(name + " of the disk", median(rates), "tasks/s", median(disk), ratio_of(rates, disk));
  if (store == "session-jsonl") {
    const auto& files = reached.rates.at(store + " files disk");
    results.add(name + " in files", median(in_files), "tasks/s", median(files),
                ratio_of(in_files, files));
  }
  results.add(name + " in a group", median(in_group), "tasks");
  results.add(name + " in the journal", median(in_journal), "bytes/task");
  results.add(name + " written", median(written), "bytes/task", median(in_journal),
              ratio_of(written, in_journal));
}

void run_shape(const options& how, report& results, const load& load) {
  const auto suffix = '/' + load.shape->name + '/' + std::to_string(load.shape->size());
  const bool wants_skeleton = how.wants("skeleton" + suffix);
  std::vector<std::string> stores;
  for (const std::string name : {"memory", "rocksdb", "session-jsonl"})
    if (how.wants(name + suffix) && (name != "session-jsonl" || load.shape->name != "lattice"))
      stores.push_back(name);
  if (stores.empty() && !wants_skeleton)
    return;
  std::vector<std::string> names{"skeleton"};
  if (how.wants("memory" + suffix))
    names.emplace_back("stock skeleton");
  for (const auto& name : stores) {
    names.push_back(name);
    if (name != "memory")
      names.push_back(name + " disk");
    if (name == "session-jsonl")
      names.push_back(name + " files disk");
  }
  const auto reached = run_in_turn(load, how.rounds_or(5), names);
  const auto& skeleton = reached.rates.at("skeleton");
  results.add("skeleton" + suffix, median(skeleton), "tasks/s");
  for (const auto& name : stores)
    results.add(name + suffix, median(reached.rates.at(name)), "tasks/s", median(skeleton),
                ratio_of(reached.rates.at(name), skeleton));
  if (const auto stock = reached.rates.find("stock skeleton"); stock != reached.rates.end()) {
    const auto& memory = reached.rates.at("memory");
    results.add("stock skeleton" + suffix, median(stock->second), "tasks/s");
    results.add("memory" + suffix + " of the stock skeleton", median(memory), "tasks/s",
                median(stock->second), ratio_of(memory, stock->second));
  }
  for (const auto& name : stores)
    if (name != "memory")
      add_disk_use(results, name, suffix, tasks_of(load), reached);
}

latencies latencies_of_seconds(const std::vector<double>& seconds) {
  histogram nanoseconds;
  for (const auto one : seconds)
    nanoseconds.add(static_cast<std::uint64_t>(one * 1e9));
  return latencies_of(nanoseconds);
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
  const auto append = [&] {
    for (std::size_t i = 0; i < times / 5 + 1; ++i)
      floor.push_back(append_durably(place.path(), 10, std::uint64_t{10} * 4096));
  };
  append();
  const auto taken = run_alone(make_chain(10), times, how.threads, place.path());
  append();
  add_latencies(results, name, {latencies_of_seconds(taken)}, {latencies_of_seconds(floor)});
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
