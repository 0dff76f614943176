#include "tests/support/catch.hpp"

#include <algorithm>

#include "sim/run.hpp"
#include "sim/settings.hpp"
#include "sim/settings_text.hpp"
#include "sim/shrink.hpp"

using namespace troupe::sim;

TEST_CASE("what is left of a failure is small, and fails in the same way", "[sim][shrink]") {
  settings how = draw_settings(1);
  how.bug = mutant::message_of_another_name;
  const auto small = shrink(how, "kept", 300);
  CHECK(small.clients == 1);
  CHECK(small.operations <= 2);
  CHECK(small.faults == 0);
  CHECK(small.how.only.size() <= 2);
  const auto again = read_settings(write_settings(small.how));
  REQUIRE(again.has_value());
  CHECK(*again == small.how);
  const auto got = run(*again);
  CHECK(std::ranges::find(got.checkers, "kept") != got.checkers.end());
}

TEST_CASE("what does not fail is not made smaller", "[sim][shrink]") {
  const auto how = draw_settings(1);
  const auto same = shrink(how, "kept", 300);
  CHECK(same.runs == 1);
  CHECK(same.how == how);
}
