// Small worlds in which the process dies at one step after the other: whatever the moment, no
// checker finds anything.
#include "tests/support/catch.hpp"

#include "sim/run.hpp"
#include "sim/settings.hpp"

using namespace std::chrono_literals;
using namespace troupe::sim;

namespace {

settings small_world(std::uint64_t seed) {
  settings out;
  out.seed = seed;
  out.clients = 2;
  out.span = 3s;
  out.agent_steps_max = 2;
  return out;
}

/// Dies at each step whose number `every` divides, until faults have ended.
void die_everywhere(settings how, std::uint64_t every) {
  const auto alive = run(how);
  REQUIRE_FALSE(alive.failed.has_value());
  auto dead = alive;
  std::size_t worlds = 0;
  for (how.crash_at_step = every; how.crash_at_step < alive.steps; how.crash_at_step += every) {
    dead = run(how);
    INFO("seed " << how.seed << ", dead at step " << how.crash_at_step);
    INFO((dead.failed ? dead.failed->checker + ": " + dead.failed->sentence : ""));
    REQUIRE_FALSE(dead.failed.has_value());
    if (dead.crashes == alive.crashes)
      break;
    ++worlds;
  }
  CHECK(worlds > 10);
}

} // namespace

TEST_CASE("after a death at any step, what was acknowledged is there, and all of it ends",
          "[sim][recovery]") {
  SECTION("of the process") {
    auto how = small_world(1);
    how.power_failures = 0;
    die_everywhere(how, 23);
  }
  SECTION("of the power") {
    auto how = small_world(2);
    how.power_failures = 1;
    how.sector_bytes = 40;
    die_everywhere(how, 23);
  }
  SECTION("while plans are changed, and tasks ask") {
    auto how = small_world(3);
    how.changing = 0.7;
    how.together = 0.5;
    how.asking = 0.4;
    how.alternatives = 0.5;
    die_everywhere(how, 37);
  }
  SECTION("while tasks fail and are tried again") {
    auto how = small_world(4);
    how.failing = 0.5;
    how.deadlines = 0.3;
    how.deadline_max = 1s;
    die_everywhere(how, 37);
  }
  SECTION("while a change comes in parts, and segments are short") {
    auto how = small_world(5);
    how.group_bytes = 256;
    how.segment_bytes = 4096;
    die_everywhere(how, 37);
  }
  SECTION("while other agents do tasks, and receivers are told") {
    auto how = small_world(6);
    how.delegated = 0.8;
    how.notified = 0.5;
    die_everywhere(how, 37);
  }
}
