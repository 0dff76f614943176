#include "bench/http_send/open_loop.hpp"
#include "tests/support/catch.hpp"

#include <map>

using namespace troupe::bench;
using namespace std::chrono_literals;

namespace {

using time_point = open_loop::time_point;

/// Runs the loop on a clock of whole milliseconds against a server that needs `takes` for each
/// request, but answers nothing from `stops` to `goes_on`.
struct simulated_server {
  std::chrono::milliseconds takes = 2ms;
  std::chrono::milliseconds stops = 1h;
  std::chrono::milliseconds goes_on = 1h;

  std::chrono::milliseconds answers_after(std::chrono::milliseconds sent) const {
    const auto done = sent + takes;
    return done >= stops && done < goes_on ? goes_on : done;
  }
};

constexpr time_point begin{};

open_loop_figures run(const open_loop_options& how, const simulated_server& server,
                      std::chrono::milliseconds look_every = 1ms) {
  open_loop loop(how, begin);
  std::multimap<std::chrono::milliseconds, std::size_t> under_way;
  for (auto now = 0ms; !loop.is_over(); now += look_every) {
    REQUIRE(now < 10min);
    while (!under_way.empty() && under_way.begin()->first <= now) {
      loop.answered(under_way.begin()->second, begin + now);
      under_way.erase(under_way.begin());
    }
    while (const auto connection = loop.next(begin + now))
      under_way.emplace(server.answers_after(now), *connection);
  }
  return loop.figures();
}

open_loop_options hundred_a_second() {
  open_loop_options how;
  how.rate = 100;
  how.measured = 10s;
  how.connections = 1000;
  return how;
}

} // namespace

TEST_CASE("Requests leave at even distances and count from then", "[open_loop]") {
  const auto found = run(hundred_a_second(), {});
  CHECK(found.due == 1000);
  CHECK(found.in_time == 1000);
  CHECK(found.held_back == 0);
  CHECK(found.late.max() == 0);
  CHECK(found.latencies.count() == 1000);
  CHECK(found.latencies.max() == 2'000'000);
}

TEST_CASE("A server that stops for a second is seen by all requests of that second",
          "[open_loop]") {
  for (const std::size_t connections : {1000, 1}) {
    CAPTURE(connections);
    auto how = hundred_a_second();
    how.connections = connections;
    const auto found = run(how, {2ms, 3000ms, 4000ms});
    CHECK(found.due == 1000);
    // A closed loop over one connection would have seen one slow answer in a thousand.
    CHECK(found.latencies.at_share(0.85) <= 20'000'000);
    CHECK(found.latencies.at_share(0.96) >= 400'000'000);
    CHECK(found.latencies.max() >= 990'000'000);
    CHECK(found.late.max() == 0);
  }
}

TEST_CASE("Requests that find no connection free are counted, and leave when one is",
          "[open_loop]") {
  auto how = hundred_a_second();
  how.connections = 1;
  const auto found = run(how, {2ms, 3000ms, 4000ms});
  CHECK(found.held_back > 90);
  CHECK(found.held_back < 140);
  CHECK(run(hundred_a_second(), {2ms, 3000ms, 4000ms}).held_back == 0);
}

TEST_CASE("A load generator that looks too rarely is late, and says so", "[open_loop]") {
  const auto found = run(hundred_a_second(), {}, 35ms);
  CHECK(found.due == 1000);
  CHECK(found.held_back == 0);
  CHECK(found.late.max() >= 30'000'000);
  CHECK(found.late.max() <= 35'000'000);
}

TEST_CASE("Answers after the end count as latencies, but not as in time", "[open_loop]") {
  const auto found = run(hundred_a_second(), {2ms, 9500ms, 12'000ms});
  CHECK(found.due == 1000);
  CHECK(found.latencies.count() == 1000);
  CHECK(found.in_time < 951);
  CHECK(found.latencies.max() >= 2'400'000'000);
}

TEST_CASE("The requests of the warm-up are sent and not counted", "[open_loop]") {
  auto how = hundred_a_second();
  how.warmup = 1s;
  const auto found = run(how, {2ms, 100ms, 900ms});
  CHECK(found.due == 1000);
  CHECK(found.latencies.count() == 1000);
  CHECK(found.latencies.max() == 2'000'000);
}

TEST_CASE("An open loop wakes when the next request is due, unless none can leave", "[open_loop]") {
  open_loop_options how;
  how.rate = 10;
  how.measured = 200ms;
  open_loop loop(how, begin);
  CHECK(loop.wakes_at() == begin);
  REQUIRE(loop.next(begin) == 0U);
  CHECK_FALSE(loop.wakes_at());
  loop.answered(0, begin + 1ms);
  CHECK(loop.wakes_at() == begin + 100ms);
  CHECK_FALSE(loop.next(begin + 99ms));
  REQUIRE(loop.next(begin + 100ms) == 0U);
  CHECK_FALSE(loop.is_over());
  loop.answered(0, begin + 101ms);
  CHECK_FALSE(loop.wakes_at());
  CHECK(loop.is_over());
}
