// Whole worlds: the same seed leads to the same history, and a few seeds find nothing.
#include "tests/support/catch.hpp"

#include "sim/run.hpp"
#include "sim/settings.hpp"

using namespace troupe::sim;

TEST_CASE("the same seed is the same world", "[sim][run]") {
  for (const std::uint64_t seed : {1U, 2U}) {
    const auto how = draw_settings(seed);
    CHECK(run(how).hash == run(how).hash);
  }
  CHECK(run(draw_settings(1)).hash != run(draw_settings(2)).hash);
}

TEST_CASE("a number of seeds find nothing", "[sim][run]") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto got = run(draw_settings(seed));
    INFO("troupe-sim --seed " << seed << " --trace");
    INFO((got.failed ? got.failed->checker + ": " + got.failed->sentence : ""));
    CHECK_FALSE(got.failed.has_value());
  }
}

TEST_CASE("a process dies at the step that is named, once", "[sim][run]") {
  settings how;
  how.clients = 2;
  how.span = std::chrono::seconds{2};
  const auto without = run(how);
  CHECK(without.crashes == 2); // The witness ends the process twice.
  how.crash_at_step = 500;     // Of some thousand.
  const auto with = run(how);
  CHECK(with.crashes == 3);
  INFO((with.failed ? with.failed->checker + ": " + with.failed->sentence : ""));
  CHECK_FALSE(with.failed.has_value());
}

TEST_CASE("processes that are asked to end lose nothing", "[sim][run]") {
  settings how;
  how.span = std::chrono::seconds{5};
  how.drains_per_second = 1;
  const auto got = run(how);
  INFO((got.failed ? got.failed->checker + ": " + got.failed->sentence : ""));
  CHECK_FALSE(got.failed.has_value());
  CHECK(got.situations.contains("a server drains"));
}
