// The clock of tests and of the simulated world.
#include "actors/manual_clock.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace std::chrono_literals;

TEST_CASE("time goes on whatever the time of day is set to", "[actors][time]") {
  manual_clock clock{timestamp{100s}};
  const auto begin = clock.steady();
  clock.pass(5s);
  CHECK(clock.now() == timestamp{105s});
  CHECK(clock.steady() == begin + 5s);
  clock.set(timestamp{10s});
  CHECK(clock.now() == timestamp{10s});
  CHECK(clock.steady() == begin + 5s);
  CHECK(clock.elapsed() == 5s);
  clock.pass(1s);
  CHECK(clock.now() == timestamp{11s});
  CHECK(clock.steady() == begin + 6s);
  clock.set(timestamp{1000s});
  clock.pass(0s);
  CHECK(clock.now() == timestamp{1000s});
  CHECK(clock.steady() == begin + 6s);
}
