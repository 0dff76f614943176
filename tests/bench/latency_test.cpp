#include "bench/support/latency.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>

#include <fstream>
#include <map>
#include <stdexcept>

using namespace troupe::bench;

namespace {

/// Case and value of each line that a report wrote.
std::map<std::string, std::pair<double, double>> values_and_ratios(const std::string& path) {
  std::map<std::string, std::pair<double, double>> out;
  std::ifstream in{path};
  for (std::string text; std::getline(in, text);) {
    const auto line = boost::json::parse(text);
    out[std::string{line.at("case").as_string()}] = {
        line.at("value").to_number<double>(),
        line.at("ratio").is_null() ? 0.0 : line.at("ratio").to_number<double>()};
  }
  return out;
}

} // namespace

TEST_CASE("Latencies are microseconds of the shares of a histogram of nanoseconds", "[latency]") {
  histogram all;
  for (std::uint64_t i = 1; i <= 100; ++i)
    all.add(i); // So small that no bucket has two of them.
  all.add(5'000'000);
  const auto found = latencies_of(all);
  CHECK(found.p50 == Approx(0.051));
  CHECK(found.p90 == Approx(0.091));
  CHECK(found.p99 == Approx(0.100));
  CHECK(found.p999 == Approx(5000));
  CHECK(found.max == Approx(5000));
}

TEST_CASE("Latencies are read as they were written, and a missing one is an error", "[latency]") {
  const latencies all{1, 2, 3, 4, 5};
  auto text = json_of(all);
  CHECK(read_latencies(text) == all);
  text.erase("p999_us");
  CHECK_THROWS_AS(read_latencies(text), std::exception);
}

TEST_CASE("A reported percentile is the median of the rounds, the maximum that of all",
          "[latency]") {
  const troupe::testing::temporary_directory place;
  options how;
  how.out = place / "lines.jsonl";
  report results("x", how);
  add_latencies(results, "ours", {{10, 20, 30, 40, 900}, {1, 2, 3, 4, 50}, {5, 6, 7, 8, 60}},
                {{5, 20, 30, 40, 90}, {1, 2, 3, 4, 5}, {5, 6, 7, 8, 9}});
  add_latencies(results, "alone", {{1, 2, 3, 4, 5}});
  const auto found = values_and_ratios(how.out);
  CHECK(found.at("ours p50") == std::pair(5.0, 1.0));
  CHECK(found.at("ours p90").first == 6);
  CHECK(found.at("ours p99").first == 7);
  CHECK(found.at("ours p99.9").first == 8);
  CHECK(found.at("ours max") == std::pair(900.0, 10.0));
  CHECK(found.at("alone max") == std::pair(5.0, 0.0));
}
