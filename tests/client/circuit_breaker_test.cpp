#include "client/circuit_breaker.hpp"
#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::net;

TEST_CASE("five failures in a row open the breaker for half a minute, then one request is let by",
          "[client]") {
  circuit_breaker breaker;
  circuit_breaker::point now{};
  for (int i = 0; i < 4; ++i) {
    CHECK(breaker.admit(now));
    breaker.fail(now);
  }
  CHECK(breaker.admit(now));
  breaker.succeed(); // not in a row
  for (int i = 0; i < 5; ++i) {
    CHECK(breaker.admit(now));
    breaker.fail(now);
  }
  CHECK(breaker.is_open());
  CHECK_FALSE(breaker.admit(now + 29s));
  CHECK(breaker.open_for(now + 29s) == 1s);
  now += 30s;
  CHECK(breaker.admit(now));
  CHECK_FALSE(breaker.admit(now)); // one only
  breaker.fail(now);
  CHECK_FALSE(breaker.admit(now + 29s));
  now += 30s;
  CHECK(breaker.admit(now));
  breaker.forget(); // it was canceled: the next one asks
  CHECK(breaker.admit(now));
  breaker.succeed();
  CHECK_FALSE(breaker.is_open());
  CHECK(breaker.admit(now));
}

TEST_CASE("each probe that fails doubles the time, and a success ends it", "[client]") {
  circuit_breaker breaker({.failures_max = 1, .open_for = 1s, .open_for_max = 4s});
  circuit_breaker::point now{};
  breaker.fail(now);
  for (const auto wait : {1s, 2s, 4s, 4s}) {
    CHECK(breaker.open_for(now) == wait);
    CHECK(breaker.state(now) == breaker_state::open);
    now += wait;
    CHECK(breaker.admit(now));
    breaker.fail(now);
  }
  now += 4s;
  CHECK(breaker.state(now) == breaker_state::half_open);
  CHECK(breaker.open_since(now) == 15s);
  CHECK(breaker.admit(now));
  breaker.succeed();
  CHECK(breaker.state(now) == breaker_state::closed);
  CHECK(breaker.open_since(now) == 0s);
  breaker.fail(now);
  CHECK(breaker.open_for(now) == 1s);
}

TEST_CASE("a failure that comes late does not keep the breaker open", "[client]") {
  circuit_breaker breaker({.failures_max = 2});
  const circuit_breaker::point now{};
  for (int i = 0; i < 3; ++i)
    CHECK(breaker.admit(now)); // three are under way
  breaker.fail(now);
  breaker.fail(now);
  breaker.fail(now + 20s);
  CHECK(breaker.open_for(now + 20s) == 10s);
}

TEST_CASE("an answer that begins well, and then cannot be used, is a failure", "[client]") {
  circuit_breaker breaker({.failures_max = 2, .open_for = 10s, .open_for_max = 30s});
  circuit_breaker::point now{};
  const auto early = now;
  const auto begin = [&] {
    const bool admitted = breaker.admit(now);
    breaker.forget();
    return admitted;
  };
  for (int i = 0; i < 2; ++i) {
    CHECK(begin());
    breaker.fail_begun(now += 1s, now);
  }
  CHECK_FALSE(begin());
  SECTION("one that began before the breaker opened does not keep it open") {
    breaker.fail_begun(now += 5s, early);
    CHECK(breaker.open_for(now) == 5s);
  }
  SECTION("each that began as a probe doubles the time") {
    now += 10s;
    CHECK(begin());
    const auto first = now;
    CHECK(begin()); // the first one has an answer, which may be long
    breaker.fail_begun(now += 1s, first);
    CHECK(breaker.open_for(now) == 20s);
    breaker.fail_begun(now, first);
    CHECK(breaker.open_for(now) == 30s);
    now += 30s;
    CHECK(begin());
    breaker.succeed();
    CHECK(breaker.state(now) == breaker_state::closed);
  }
}
