// Question: how many `SendMessage` a second does the server answer, how fast, and how much of what
// the bare HTTP and JSON libraries can do is that?
//
// The server (`troupe serve`, memory and RocksDB store), the bare responder and the load generator
// are processes of their own. In each round every server is started, warmed up, loaded, and
// stopped, one after the other; the ratio is the median over rounds of server / bare. First closed
// loops over 1, 64 and 256 connections. Then open loops at 25, 50 and 75 % of the rate that this
// server reached in the closed loop over 64, with latencies from the time each request was due.
// What the disk alone could do is measured as well: one thread appends what the journal has, in as
// many pieces, each with fdatasync. Units: requests/s; us for latencies. The load generator checks
// every answer. Knobs: --troupe PATH (default: the `troupe` beside this program), --seconds,
// --connections, --rate, --threads, --rounds, --filter (`memory`, `rocksdb`), --deduplicate (the
// server remembers messages, which are all different).
#include "bench/http_send/journal_use.hpp"
#include "bench/support/disk.hpp"
#include "bench/support/harness.hpp"
#include "bench/support/latency.hpp"
#include "bench/support/process.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include <unistd.h>

namespace {

using namespace troupe::bench;
using troupe::testing::temporary_directory;

struct settings {
  std::string folder; ///< Of the programs.
  std::string troupe;
  std::string deduplicate = "0";        ///< Seconds.
  std::vector<std::size_t> connections; ///< Of the closed loops.
  /// Of the closed loop of whose rate the open ones have a share; one of `connections`.
  std::size_t reference = 64;
  std::size_t open_connections = 1024; ///< So many that a request rarely finds none free.
  double rate = 0.0; ///< Requests a second of a single open loop; 0 = shares of the closed one.
  double seconds = 5.0;
  double warmup = 1.0;
};

/// What one load reached.
struct figures {
  double requests_per_s = 0.0;
  latencies answers;
  double requests_in_all = 0.0; ///< With those of the warm-up.
  // Of an open loop:
  double rate = 0.0;      ///< Requests that were due a second.
  double held_back = 0.0; ///< Requests for which no connection was free.
  double late_p99_us = 0.0;
  double late_max_us = 0.0;
  // Of a closed loop on a durable server:
  double disk_requests_per_s = 0.0; ///< If the disk alone bounded them.
  double requests_in_group = 0.0;
};

/// A server under test, started and listening.
class server {
public:
  server(std::string name, const std::vector<std::string>& argv)
      : name_(std::move(name)), process_(argv), port_(std::to_string(listening_port(process_))) {}

  [[nodiscard]] const std::string& port() const noexcept { return port_; }
  void stop() {
    const int code = process_.terminate();
    check(code == 0, name_ + " ended with code " + std::to_string(code));
  }

private:
  std::string name_;
  child_process process_;
  std::string port_;
};

/// `rate`: requests a second of an open loop; 0 for a closed one.
figures load(const settings& how, const std::string& port, std::size_t connections, double rate) {
  std::vector<std::string> argv{how.folder + "/troupe_http_load",
                                "--port",
                                port,
                                "--connections",
                                std::to_string(connections),
                                "--seconds",
                                std::to_string(how.seconds),
                                "--warmup",
                                std::to_string(how.warmup)};
  if (rate > 0)
    argv.insert(argv.end(), {"--rate", std::to_string(rate)});
  child_process generator(argv);
  const auto line =
      generator.read_line(std::chrono::seconds(60 + static_cast<int>(how.seconds + how.warmup)));
  check(generator.wait() == 0, line);
  const auto said = boost::json::parse(line).as_object();
  const auto number = [&](const char* key) { return said.at(key).to_number<double>(); };
  figures out;
  out.requests_per_s = number("requests_per_s");
  out.answers = read_latencies(said);
  out.requests_in_all = number("requests_in_all");
  if (rate > 0) {
    out.rate = number("rate");
    out.held_back = number("held_back");
    out.late_p99_us = number("late_p99_us");
    out.late_max_us = number("late_max_us");
  }
  return out;
}

/// The shares of the closed loop's rate, in percent.
constexpr std::array open_shares{25, 50, 75};
constexpr double open_requests_min = 10; ///< In the measured time, however slow the machine is.

/// One way to serve, and what it reached in each round.
struct contestant {
  std::string name;
  std::function<std::vector<std::string>(const std::string& data)> argv;
  bool is_durable = false;
  std::map<std::size_t, std::vector<figures>> closed = {}; ///< By connections.
  std::map<std::string, std::vector<figures>> open = {};   ///< By title of the case.
};

/// The server takes its numbers of threads from a file.
std::string write_config(const std::string& folder, std::size_t threads,
                         const std::string& deduplicate) {
  const auto path = folder + "/troupe.toml";
  std::ofstream file(path);
  file << "http-threads = " << threads << "\nactor-threads = " << threads
       << "\ndeduplicate-seconds = " << deduplicate << '\n';
  file.flush();
  check(file.good(), "cannot write " + path);
  return path;
}

std::vector<contestant> contestants(const options& how, const settings& where) {
  const auto threads = std::to_string(how.threads);
  std::vector<contestant> all;
  all.push_back(
      {"bare", [=](const std::string&) {
         return std::vector<std::string>{where.folder + "/troupe_http_bare", "--threads", threads};
       }});
  for (const std::string store : {"memory", "rocksdb"})
    if (how.wants(store))
      all.push_back({store,
                     [=](const std::string& data) {
                       const auto config = write_config(data, how.threads, where.deduplicate);
                       return std::vector<std::string>{
                           where.troupe, "serve",  "--listen",        "127.0.0.1:0", "--store",
                           store,        "--data", data + "/records", "--config",    config};
                     },
                     store == "rocksdb"});
  return all;
}

/// One thread appends the same bytes in as many pieces as the journal has of these requests.
void measure_disk(const temporary_directory& place, std::uint64_t last_group_before,
                  figures& reached) {
  const auto use = read_journal_use(place / "records", last_group_before);
  check(use.groups > 0, "the journal has no groups of the requests");
  // Of segments that were removed meanwhile only the number of groups is known.
  const auto groups = use.last_group - last_group_before;
  const auto seconds = append_durably(place.path(), groups, use.bytes / use.groups * groups);
  reached.disk_requests_per_s = reached.requests_in_all / seconds;
  reached.requests_in_group = reached.requests_in_all / static_cast<double>(groups);
}

figures measure_closed(const contestant& who, const settings& where, const server& one,
                       const temporary_directory& place, std::size_t connections) {
  const auto before = who.is_durable ? read_journal_use(place / "records", 0).last_group : 0;
  auto reached = load(where, one.port(), connections, 0);
  if (who.is_durable)
    measure_disk(place, before, reached);
  return reached;
}

void measure(contestant& who, const settings& where) {
  const temporary_directory place;
  server one(who.name, who.argv(place.path()));
  for (const auto connections : where.connections)
    who.closed[connections].push_back(measure_closed(who, where, one, place, connections));
  const auto open = [&](const std::string& title, double rate) {
    who.open[title].push_back(load(where, one.port(), where.open_connections, rate));
  };
  const auto reference = who.closed.at(where.reference).back().requests_per_s;
  if (where.rate > 0)
    open("open", where.rate);
  else
    for (const auto share : open_shares)
      open("open " + std::to_string(share) + '%',
           std::max(reference * share / 100, open_requests_min / where.seconds));
  one.stop();
}

std::vector<double> column(const std::vector<figures>& rows, double figures::*which) {
  std::vector<double> values;
  for (const auto& row : rows)
    values.push_back(row.*which);
  return values;
}

std::vector<latencies> answers_of(const std::vector<figures>& rows) {
  std::vector<latencies> out;
  for (const auto& row : rows)
    out.push_back(row.answers);
  return out;
}

void print_disk(report& results, const std::string& name, const std::vector<figures>& reached) {
  const auto rates = column(reached, &figures::requests_per_s);
  const auto disk = column(reached, &figures::disk_requests_per_s);
  results.add(name + " of the disk", median(rates), "requests/s", median(disk),
              ratio_of(rates, disk));
  results.add(name + " in a group", median(column(reached, &figures::requests_in_group)),
              "requests");
}

void print_closed(report& results, const std::vector<contestant>& all, std::size_t connections) {
  results.heading("Closed loop, " + std::to_string(connections) + " connection"
                  + (connections == 1 ? "" : "s"));
  const auto& bare = all.front().closed.at(connections);
  const auto base = column(bare, &figures::requests_per_s);
  for (const auto& one : all) {
    const auto name = one.name + '/' + std::to_string(connections);
    const auto& reached = one.closed.at(connections);
    if (&one == &all.front()) {
      results.add(name, median(base), "requests/s");
      add_latencies(results, name, answers_of(bare));
      continue;
    }
    const auto rates = column(reached, &figures::requests_per_s);
    results.add(name, median(rates), "requests/s", median(base), ratio_of(rates, base));
    add_latencies(results, name, answers_of(reached), answers_of(bare));
    if (one.is_durable)
      print_disk(results, name, reached);
  }
}

/// If 1 % of the requests left later than this, the latencies are also those of the load generator.
constexpr double late_p99_us_max = 1'000;

void print_open(report& results, const std::vector<contestant>& all, const std::string& title) {
  results.heading("Open loop, " + title + "; baseline of the rate: what was due");
  const auto bare = answers_of(all.front().open.at(title));
  for (const auto& one : all) {
    const auto name = one.name + '/' + title;
    const auto& reached = one.open.at(title);
    const auto answered = column(reached, &figures::requests_per_s);
    const auto due = column(reached, &figures::rate);
    results.add(name, median(answered), "requests/s", median(due), ratio_of(answered, due));
    add_latencies(results, name, answers_of(reached),
                  &one == &all.front() ? std::vector<latencies>{} : bare);
    results.add(name + " no connection free", median(column(reached, &figures::held_back)),
                "requests");
    const auto late = median(column(reached, &figures::late_p99_us));
    results.add(name + " left late p99", late, "us");
    results.add(name + " left late max", median(column(reached, &figures::late_max_us)), "us");
    std::printf("  the load generator %s its rate\n",
                late <= late_p99_us_max ? "kept" : "did not keep");
  }
}

void run_all(const options& how, report& results, const settings& where) {
  auto all = contestants(how, where);
  for (std::size_t round = 0; round < how.rounds_or(5); ++round)
    for (auto& one : all)
      measure(one, where);
  for (const auto one : where.connections)
    print_closed(results, all, one);
  for (const auto& [title, reached] : all.front().open)
    print_open(results, all, title);
}

std::string own_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
}

} // namespace

int main(int argc, char** argv) {
  settings where;
  where.folder = own_folder();
  where.troupe = where.folder + "/troupe";
  std::string seconds;
  std::string connections;
  std::string rate;
  return run_benchmark(
      argc, argv, "http_send",
      "How many SendMessage a second, against a bare Beast and Boost.JSON responder?",
      [&](const options& how, report& results) {
        where.connections =
            how.quick ? std::vector<std::size_t>{4} : std::vector<std::size_t>{1, 64, 256};
        where.reference = how.quick ? 4 : 64;
        where.open_connections = how.quick ? 16 : 1024;
        where.seconds = how.quick ? 0.2 : 3.0;
        where.warmup = how.quick ? 0.1 : 1.0;
        if (!seconds.empty())
          where.seconds = std::strtod(seconds.c_str(), nullptr);
        if (!connections.empty()) {
          where.reference = std::strtoull(connections.c_str(), nullptr, 10);
          where.connections = {where.reference};
        }
        if (!rate.empty())
          where.rate = std::strtod(rate.c_str(), nullptr);
        check(where.seconds > 0 && where.reference > 0 && (rate.empty() || where.rate > 0),
              "--seconds, --connections and --rate must be positive");
        run_all(how, results, where);
      },
      {{"--troupe", "the server's binary; default: the one beside this program", &where.troupe},
       {"--seconds", "measured time of each load (3)", &seconds},
       {"--connections", "only this many connections", &connections},
       {"--rate", "requests/s of a single open loop; default: 25, 50 and 75 % of the closed loop",
        &rate},
       {"--deduplicate", "the setting deduplicate-seconds (0)", &where.deduplicate}});
}
