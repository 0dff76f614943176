// Question: how many events a second reach the subscribers of one task, how late, and what does a
// subscriber cost who only waits?
//
// The source (Troupe's server with an agent that says the time), the bare source (one prepared
// event written to every socket) and the subscribers are processes of their own. For 1, 100 and
// 1,000 subscribers: bursts as fast as the agent can report (deliveries/s), then one event after
// the other (delay from the agent's clock to the reader's). Idle: memory of the server for each of
// 10,000 subscribers (with HTTP connection, stream, queue). Every subscriber must get every event,
// once and in order. Stalled: the same for 1,000 and 10,000 subscribers of whom some have stopped
// reading, in turn with none who has. Objective: 1,000 subscribers of an objective with that task,
// in turn with as many of the task. Knobs: --subscribers, --stalled, --threads, --rounds,
// --filter.
#include "bench/support/harness.hpp"
#include "bench/support/latency.hpp"
#include "bench/support/process.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace troupe::bench;

std::string own_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
}

/// A source that listens.
struct source {
  std::unique_ptr<child_process> process;
  std::string port;
};

source start_source(const std::string& program, std::size_t threads) {
  std::vector<std::string> argv{own_folder() + "/" + program};
  if (program == "troupe_streams_source")
    argv.insert(argv.end(), {"--threads", std::to_string(threads)});
  source out{std::make_unique<child_process>(argv), {}};
  out.port = std::to_string(listening_port(*out.process));
  return out;
}

boost::json::object load(const source& from, std::size_t subscribers,
                         std::vector<std::string> more) {
  std::vector<std::string> argv{own_folder() + "/troupe_streams_load", "--port", from.port,
                                "--subscribers", std::to_string(subscribers)};
  argv.insert(argv.end(), more.begin(), more.end());
  child_process generator(argv);
  const auto line = generator.read_line(std::chrono::seconds(120));
  check(generator.wait() == 0, line);
  return boost::json::parse(line).as_object();
}

/// What to do to so many subscribers, so that every case takes about as long.
struct audience {
  std::size_t subscribers;
  std::size_t ticks; ///< Of a burst; below the server's bound for a slow reader.
  std::size_t bursts;
  std::size_t paced; ///< Events, one after the other.
  long interval_us;
};

std::vector<audience> audiences(bool quick) {
  if (quick)
    return {{3, 20, 2, 10, 100}};
  return {{1, 500, 200, 2'000, 1'000}, {100, 500, 20, 400, 5'000}, {1'000, 500, 4, 100, 20'000}};
}

struct figures {
  double deliveries_per_s;
  latencies paced; ///< From the agent's clock to the reader's.
};

/// More than a socket takes whose reader has stopped: its buffer, and what the server lets wait in
/// the kernel.
constexpr std::size_t filling_ticks = 1'500;

/// `stalled`: subscribers beside them that do not read. `filling`: ticks before the measured ones.
/// `more`: further options of the subscribers.
figures measure(const std::string& program, const audience& who, std::size_t threads,
                std::size_t stalled = 0, std::size_t filling = 0,
                const std::vector<std::string>& more = {}) {
  const auto measured = [&](std::vector<std::string> options) {
    const auto from = start_source(program, threads);
    options.insert(options.end(), {"--stalled", std::to_string(stalled), "--filling-ticks",
                                   std::to_string(filling)});
    options.insert(options.end(), more.begin(), more.end());
    auto reached = load(from, who.subscribers, options);
    from.process->terminate();
    return reached;
  };
  const auto burst =
      measured({"--ticks", std::to_string(who.ticks), "--bursts", std::to_string(who.bursts)});
  const auto paced = measured(
      {"--ticks", std::to_string(who.paced), "--interval-us", std::to_string(who.interval_us)});
  return {burst.at("deliveries_per_s").to_number<double>(), read_latencies(paced)};
}

/// What the two contestants reached, a value for each round.
struct contest {
  std::vector<figures> base;
  std::vector<figures> ours;
};

void add_contest(report& results, const std::string& base, const std::string& name,
                 const contest& all) {
  const auto rates = [](const std::vector<figures>& rounds) {
    std::vector<double> out;
    for (const auto& each : rounds)
      out.push_back(each.deliveries_per_s);
    return out;
  };
  const auto paced = [](const std::vector<figures>& rounds) {
    std::vector<latencies> out;
    for (const auto& each : rounds)
      out.push_back(each.paced);
    return out;
  };
  const auto base_rates = rates(all.base);
  const auto our_rates = rates(all.ours);
  results.add(base + " " + name, median(base_rates), "deliveries/s");
  results.add(name, median(our_rates), "deliveries/s", median(base_rates),
              ratio_of(our_rates, base_rates));
  add_latencies(results, base + " " + name, paced(all.base));
  add_latencies(results, name, paced(all.ours), paced(all.base));
}

void measure_fan_out(const options& how, report& results, const audience& who) {
  contest all;
  for (std::size_t round = 0; round < how.rounds_or(3); ++round) {
    all.base.push_back(measure("troupe_streams_bare", who, how.threads));
    all.ours.push_back(measure("troupe_streams_source", who, how.threads));
  }
  results.heading(std::to_string(who.subscribers)
                  + (who.subscribers == 1 ? " subscriber" : " subscribers"));
  add_contest(results, "bare", "fan-out/" + std::to_string(who.subscribers), all);
}

std::vector<audience> audiences_with_stalled(bool quick) {
  if (quick)
    return {{20, 20, 2, 10, 100}};
  return {{1'000, 500, 4, 100, 20'000}, {10'000, 200, 2, 30, 200'000}};
}

/// The subscribers that read, with and without others that have stopped.
void measure_stalled(const options& how, report& results, const audience& who, double percent) {
  const auto share = static_cast<double>(who.subscribers) * percent / 100;
  const auto stalled = std::max<std::size_t>(static_cast<std::size_t>(share), 1);
  auto reading = who;
  reading.subscribers -= stalled;
  contest all;
  for (std::size_t round = 0; round < how.rounds_or(3); ++round)
    for (const bool has_stalled : {round % 2 == 0, round % 2 != 0})
      (has_stalled ? all.ours : all.base)
          .push_back(measure("troupe_streams_source", reading, how.threads,
                             has_stalled ? stalled : 0, filling_ticks));
  results.heading(std::to_string(reading.subscribers) + " subscribers that read, beside "
                  + std::to_string(stalled) + " that have stopped");
  add_contest(results, "none", "stalled/" + std::to_string(who.subscribers), all);
}

/// As many subscribers of an objective as of a task.
void measure_objective(const options& how, report& results, const audience& who) {
  contest all;
  for (std::size_t round = 0; round < how.rounds_or(3); ++round) {
    all.base.push_back(measure("troupe_streams_source", who, how.threads));
    all.ours.push_back(measure("troupe_streams_source", who, how.threads, 0, 0, {"--objective"}));
  }
  results.heading(std::to_string(who.subscribers) + " subscribers of an objective, and of a task");
  add_contest(results, "task", "objective/" + std::to_string(who.subscribers), all);
}

/// Memory of the server for each subscriber that waits.
double idle_bytes(std::size_t subscribers, std::size_t threads) {
  const auto from = start_source("troupe_streams_source", threads);
  load(from, 1, {"--ticks", "1"}); // whatever is made once
  const auto before = from.process->resident_bytes();
  child_process held({own_folder() + "/troupe_streams_load", "--port", from.port, "--subscribers",
                      std::to_string(subscribers), "--hold"});
  const auto line = held.read_line(std::chrono::seconds(60));
  check(line.find(std::to_string(subscribers)) != std::string::npos, line);
  const auto after = from.process->resident_bytes();
  held.terminate();
  from.process->terminate();
  return (after - before) / static_cast<double>(subscribers);
}

} // namespace

int main(int argc, char** argv) {
  std::string only;
  std::string stalled = "1";
  return run_benchmark(
      argc, argv, "streams",
      "How many events a second reach the subscribers of one task, and what does "
      "a waiting one cost?",
      [&](const options& how, report& results) {
        for (const auto& who : audiences(how.quick))
          if ((only.empty() || only == std::to_string(who.subscribers))
              && how.wants("fan-out/" + std::to_string(who.subscribers)))
            measure_fan_out(how, results, who);
        for (const auto& who : audiences_with_stalled(how.quick))
          if ((only.empty() || only == std::to_string(who.subscribers))
              && how.wants("stalled/" + std::to_string(who.subscribers)))
            measure_stalled(how, results, who, std::stod(stalled));
        const auto largest = audiences(how.quick).back();
        if ((only.empty() || only == std::to_string(largest.subscribers))
            && how.wants("objective/" + std::to_string(largest.subscribers)))
          measure_objective(how, results, largest);
        const std::size_t idle = how.quick ? 20 : 10'000;
        const auto name = "idle/" + std::to_string(idle);
        if (only.empty() && how.wants(name)) {
          results.heading("idle subscribers");
          results.add(name, idle_bytes(idle, how.threads), "bytes");
        }
      },
      {{"--subscribers", "only this many (1, 100, 1000 or 10000)", &only},
       {"--stalled", "percent of subscribers that have stopped reading (1)", &stalled}});
}
