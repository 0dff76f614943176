// Question: what does our outbound client cost, beside the least that can be done?
//
// Requests: 64 sends at once over kept connections to a bare Beast responder, with our client and
// with bare Beast; requests/s, latencies, CPU of the client for each; and how many connections
// were made after the warm-up, which must be none. Streams: 10,000 event streams at once, plain
// and over TLS, read by our client and by a bare reader; CPU for an event, memory of an open
// stream, time to open all. Server and client are processes of their own, and the client has one
// thread. Every answer is checked, and every stream must get every event. Units: requests/s, us,
// bytes, s. Knobs: --streams, --seconds, --rounds, --filter (`requests`, `streams/plain`,
// `streams/tls`).
#include "bench/support/harness.hpp"
#include "bench/support/latency.hpp"
#include "bench/support/process.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace troupe::bench;
using troupe::testing::temporary_directory;

std::string program(const std::string& name) {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / name).string();
}

boost::json::object run(const std::vector<std::string>& argv) {
  child_process client(argv);
  const auto line = client.read_line(std::chrono::seconds(300));
  check(client.wait() == 0, line);
  return boost::json::parse(line).as_object();
}

using rows = std::vector<boost::json::object>;

std::vector<double> column(const rows& all, const char* name) {
  std::vector<double> out;
  for (const auto& each : all)
    out.push_back(each.at(name).to_number<double>());
  return out;
}

std::vector<latencies> latencies_in(const rows& all) {
  std::vector<latencies> out;
  for (const auto& each : all)
    out.push_back(read_latencies(each));
  return out;
}

void add_pair(report& results, const std::string& name, const std::string& base,
              const std::string& unit, const rows& ours, const rows& theirs, const char* member) {
  const auto value = column(ours, member);
  const auto baseline = column(theirs, member);
  results.add(base + " " + name, median(baseline), unit);
  results.add(name, median(value), unit, median(baseline), ratio_of(value, baseline));
}

void measure_requests(const options& how, report& results, const std::string& seconds) {
  child_process server({program("troupe_http_bare"), "--threads", "1"});
  const auto port = std::to_string(listening_port(server));
  rows ours;
  rows bare;
  const auto load = [&](const std::string& with) {
    return run({program("troupe_client_requests"), "--with", with, "--port", port, "--at-once",
                how.quick ? "4" : "64", "--seconds", seconds, "--warmup", how.quick ? "0.1" : "1"});
  };
  for (std::size_t round = 0; round < how.rounds_or(5); ++round) {
    bare.push_back(load("beast"));
    ours.push_back(load("troupe"));
    check(ours.back().at("connections").to_number<double>() == 0,
          "connections were made while all were warm");
  }
  results.heading("Requests, one thread");
  add_pair(results, "requests", "beast", "requests/s", ours, bare, "requests_per_s");
  add_pair(results, "requests cpu", "beast", "us", ours, bare, "cpu_us");
  add_latencies(results, "beast requests", latencies_in(bare));
  add_latencies(results, "requests", latencies_in(ours), latencies_in(bare));
}

void measure_streams(const options& how, report& results, const std::string& name,
                     const std::string& streams, bool tls) {
  const temporary_directory place;
  const auto certificate = (place.path() / "certificate.pem").string();
  const auto read = [&](const std::string& with) {
    std::vector<std::string> served{program("troupe_client_source"), "--streams", streams};
    std::vector<std::string> reading{program("troupe_client_streams"),
                                     "--with",
                                     with,
                                     "--streams",
                                     streams,
                                     "--events",
                                     how.quick ? "3" : "20"};
    if (tls) {
      served.insert(served.end(), {"--certificate", certificate});
      reading.insert(reading.end(), {"--certificate", certificate});
    }
    child_process source(served);
    reading.insert(reading.end(), {"--port", std::to_string(listening_port(source))});
    auto out = run(reading);
    check(source.wait() == 0, "the source failed");
    check(out.at("connections").to_number<double>() == std::strtod(streams.c_str(), nullptr),
          "not one connection for each stream");
    return out;
  };
  rows ours;
  rows bare;
  for (std::size_t round = 0; round < how.rounds_or(3); ++round) {
    bare.push_back(read("bare"));
    ours.push_back(read("troupe"));
  }
  results.heading(streams + " event streams" + (tls ? " over TLS" : ""));
  add_pair(results, name + " cpu", "bare", "us", ours, bare, "cpu_us");
  add_pair(results, name + " memory", "bare", "bytes", ours, bare, "bytes_each");
  add_pair(results, name + " open", "bare", "s", ours, bare, "open_s");
}

} // namespace

int main(int argc, char** argv) {
  std::string streams;
  std::string seconds;
  return run_benchmark(
      argc, argv, "client",
      "What does our outbound client cost, beside the least that can be done?",
      [&](const options& how, report& results) {
        const auto count = !streams.empty() ? streams : how.quick ? "20" : "10000";
        if (how.wants("requests"))
          measure_requests(how, results, !seconds.empty() ? seconds : how.quick ? "0.2" : "3");
        for (const bool tls : {false, true})
          if (const std::string name = tls ? "streams/tls" : "streams/plain"; how.wants(name))
            measure_streams(how, results, name, count, tls);
      },
      {{"--streams", "event streams at once (10000)", &streams},
       {"--seconds", "measured time of each load (3)", &seconds}});
}
