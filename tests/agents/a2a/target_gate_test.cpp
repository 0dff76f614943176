// How many delegations to one target may be open, and how fast they may begin.
#include "agents/a2a/target_gate.hpp"
#include "agents/a2a/target_queue.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace {

constexpr target_gate::point start{1000s};

} // namespace

TEST_CASE("a target without limits takes everything at once", "[agents][a2a]") {
  target_gate gate({});
  for (int i = 0; i < 1000; ++i) {
    CHECK(gate.next_begin(start) == start);
    gate.begin(start);
  }
  CHECK(gate.open() == 1000);
}

TEST_CASE("no more are open than may be, and one that ends lets in the next", "[agents][a2a]") {
  target_gate gate({.open_max = 2});
  gate.begin(start);
  gate.rejoin();
  CHECK_FALSE(gate.next_begin(start).has_value());
  gate.end();
  CHECK(gate.next_begin(start) == start);
}

TEST_CASE("no more begin in a second than may", "[agents][a2a]") {
  target_gate gate({.rate_max = 4});
  gate.begin(start);
  CHECK(gate.next_begin(start) == start + 250ms);
  gate.begin(start + 250ms);
  CHECK(gate.next_begin(start + 250ms) == start + 500ms);
  CHECK(gate.again(start + 300ms) == start + 500ms); // sent again: it has its turn, too
  CHECK(gate.next_begin(start + 300ms) == start + 750ms);
  CHECK(gate.next_begin(start + 10s) == start + 10s);
}

TEST_CASE("a target that has too many is asked half as often, and more again as it takes some",
          "[agents][a2a]") {
  target_gate gate({.rate_max = 8});
  gate.refused(start, {});
  CHECK(gate.rate() == 4);
  gate.refused(start + 10ms, {}); // of the same second
  CHECK(gate.rate() == 4);
  gate.refused(start + 1s, {});
  CHECK(gate.rate() == 2);
  CHECK(gate.next_begin(start + 1s) == start + 1500ms);
  gate.refused(start + 1s, 30s);
  CHECK(gate.next_begin(start + 1s) == start + 31s);
  for (int i = 0; i < 100; ++i)
    gate.accepted();
  CHECK(gate.rate() == 8);
  for (int i = 0; i < 100; ++i)
    gate.refused(start + std::chrono::seconds{10 * i}, {});
  CHECK(gate.rate() == rate_min);
  for (int i = 0; i < 4; ++i) // It is back.
    gate.accepted();
  CHECK(gate.rate() >= 1);
}

TEST_CASE("a target without a limit gets one when it refuses, until it takes a thousand a second",
          "[agents][a2a]") {
  target_gate gate({});
  gate.refused(start, {});
  CHECK(gate.rate() == rate_after_refusal / 2);
  for (int i = 0; i < 100; ++i)
    gate.accepted();
  CHECK(gate.rate() == 0);
}

TEST_CASE("429, 503 and what our own client kept back mean that a target has too many",
          "[agents][a2a]") {
  const auto said = [](const std::string& details) {
    auto why = make_error(errc::unavailable, "no");
    why.details = details;
    return refusal_in(why);
  };
  CHECK(said(R"({"httpStatus":503})").has_value());
  CHECK(said(R"({"httpStatus":429,"retryAfter":7})")->retry_after == 7s);
  CHECK_FALSE(said(R"({"httpStatus":500})").has_value());
  CHECK(said(R"({"cause":"breaker","retryAfter":2})")->retry_after == 2s);
  CHECK(said(R"({"cause":"busy"})").has_value());
  CHECK_FALSE(said(R"({"cause":"refused"})").has_value());
  CHECK_FALSE(said("").has_value());
}

TEST_CASE("what no longer waits for a stalled target leaves nothing behind", "[agents][a2a]") {
  a2a::call_loop loop;
  const auto all = std::make_shared<open_delegations>(open_delegations{0, 10});
  const auto queue = std::make_shared<target_queue>(loop, target_limits{1, 0}, all);
  queue->rejoin(); // it has its place, and never ends
  const auto waits = queue->enter([] {});
  for (int i = 0; i < 10'000; ++i)
    static_cast<void>(queue->enter([] {}));
  CHECK(queue->waiting() <= 1'000);
}
