// Question: how many `SendMessage` a second does the server answer, how fast, and how much of what
// the bare HTTP and JSON libraries can do is that?
//
// The server (`troupe serve`, memory and RocksDB store), the bare responder and the load generator
// are processes of their own. In each round every server is started, warmed up, loaded, and
// stopped, one after the other; the ratio is the median over rounds of server / bare. Units:
// requests/s; us for p50 and p99. The load generator checks every answer. Knobs: --troupe PATH
// (default: the `troupe` beside this program), --seconds, --connections, --threads, --rounds,
// --filter, --deduplicate (the server remembers messages, which are all different).
#include "bench/support/harness.hpp"
#include "bench/support/process.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
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
  std::vector<std::size_t> connections;
  std::string deduplicate = "0"; ///< Seconds.
  double seconds = 5.0;
  double warmup = 1.0;
};

struct figures {
  double requests_per_s = 0.0;
  double p50_us = 0.0;
  double p99_us = 0.0;
};

/// A server under test, started and listening.
class server {
public:
  server(std::string name, std::vector<std::string> argv) : name_(std::move(name)), process_(argv) {
    // Both say "... 127.0.0.1:PORT ..." on one of their first lines.
    for (int lines = 0; lines < 20 && port_.empty(); ++lines) {
      const auto line = process_.read_line();
      const std::string host = "127.0.0.1:";
      if (const auto at = line.find(host); at != std::string::npos) {
        const auto end = line.find_first_not_of("0123456789", at + host.size());
        port_ =
            line.substr(at + host.size(), end == std::string::npos ? end : end - at - host.size());
      }
    }
    check(!port_.empty(), name_ + " does not say where it listens");
  }

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

figures load(const settings& how, const std::string& port, std::size_t connections) {
  child_process generator({how.folder + "/troupe_http_load", "--port", port, "--connections",
                           std::to_string(connections), "--seconds", std::to_string(how.seconds),
                           "--warmup", std::to_string(how.warmup)});
  const auto line =
      generator.read_line(std::chrono::seconds(60 + static_cast<int>(how.seconds + how.warmup)));
  check(generator.wait() == 0, line);
  const auto said = boost::json::parse(line).as_object();
  const auto number = [&](const char* key) { return said.at(key).to_number<double>(); };
  return {number("requests_per_s"), number("p50_us"), number("p99_us")};
}

/// One way to serve, and what it reached: `[connections][round]`.
struct contestant {
  std::string name;
  std::function<std::vector<std::string>(const std::string& data)> argv;
  std::map<std::size_t, std::vector<figures>> reached;
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
      {"bare",
       [=](const std::string&) {
         return std::vector<std::string>{where.folder + "/troupe_http_bare", "--threads", threads};
       },
       {}});
  for (const std::string store : {"memory", "rocksdb"})
    if (how.wants(store))
      all.push_back({store,
                     [=](const std::string& data) {
                       const auto config = write_config(data, how.threads, where.deduplicate);
                       return std::vector<std::string>{
                           where.troupe, "serve",  "--listen",        "127.0.0.1:0", "--store",
                           store,        "--data", data + "/records", "--config",    config};
                     },
                     {}});
  return all;
}

void measure(contestant& who, const settings& where) {
  const temporary_directory place;
  server one(who.name, who.argv(place.path()));
  for (const auto connections : where.connections)
    who.reached[connections].push_back(load(where, one.port(), connections));
  one.stop();
}

std::vector<double> column(const std::vector<figures>& rows, double figures::*which) {
  std::vector<double> values;
  for (const auto& row : rows)
    values.push_back(row.*which);
  return values;
}

void print(report& results, const std::vector<contestant>& all, std::size_t connections) {
  results.heading(std::to_string(connections) + " connection" + (connections == 1 ? "" : "s"));
  const auto suffix = '/' + std::to_string(connections);
  const std::vector<std::tuple<const char*, const char*, double figures::*>> columns{
      {"", "requests/s", &figures::requests_per_s},
      {" p50", "us", &figures::p50_us},
      {" p99", "us", &figures::p99_us}};
  for (const auto& [title, unit, which] : columns) {
    const auto base = column(all.front().reached.at(connections), which);
    results.add(all.front().name + suffix + title, median(base), unit);
    for (std::size_t i = 1; i < all.size(); ++i) {
      const auto values = column(all[i].reached.at(connections), which);
      results.add(all[i].name + suffix + title, median(values), unit, median(base),
                  ratio_of(values, base));
    }
  }
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
  return run_benchmark(
      argc, argv, "http_send",
      "How many SendMessage a second, against a bare Beast and Boost.JSON responder?",
      [&](const options& how, report& results) {
        where.connections =
            how.quick ? std::vector<std::size_t>{4} : std::vector<std::size_t>{1, 64, 256};
        where.seconds = how.quick ? 0.2 : 3.0;
        where.warmup = how.quick ? 0.1 : 1.0;
        if (!seconds.empty())
          where.seconds = std::strtod(seconds.c_str(), nullptr);
        if (!connections.empty())
          where.connections = {std::strtoull(connections.c_str(), nullptr, 10)};
        auto all = contestants(how, where);
        const auto rounds = how.rounds_or(5);
        for (std::size_t round = 0; round < rounds; ++round)
          for (auto& one : all)
            measure(one, where);
        for (const auto one : where.connections)
          print(results, all, one);
      },
      {{"--troupe", "the server's binary; default: the one beside this program", &where.troupe},
       {"--seconds", "measured time of each load (3)", &seconds},
       {"--connections", "only this many connections", &connections},
       {"--deduplicate", "the setting deduplicate-seconds (0)", &where.deduplicate}});
}
