#include "tests/support/catch.hpp"

#include <algorithm>
#include <string>

#include "sim/settings_text.hpp"

using namespace troupe::sim;

TEST_CASE("settings read back as they were written", "[sim]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const auto drawn = draw_settings(seed);
    const auto read = read_settings("# a comment\n" + write_settings(drawn));
    REQUIRE(read.has_value());
    CHECK(*read == drawn);
  }
}

TEST_CASE("a planted bug and the operations that are left read back", "[sim]") {
  auto how = draw_settings(7);
  how.bug = mutant::lost_tail;
  how.only = {"c0.1", "c0.17", "c11.2"};
  const auto read = read_settings(write_settings(how));
  REQUIRE(read.has_value());
  CHECK(*read == how);
  CHECK_FALSE(read_settings("only = c0.1\n").has_value());
  CHECK_FALSE(read_settings("bug = \"no-such-bug\"\n").has_value());
}

TEST_CASE("settings that cannot be read are refused with the line", "[sim]") {
  CHECK(read_settings("seed = 1\nclient = 2\n").error().message.find("line 2") == 0);
  CHECK_FALSE(read_settings("seed = one\n").has_value());
  CHECK_FALSE(read_settings("clients = 2 3\n").has_value());
  CHECK_FALSE(read_settings("deduplicates = 1\n").has_value());
  CHECK_FALSE(read_settings("seed\n").has_value());
}

TEST_CASE("what is simpler differs in something, and there is a simplest", "[sim]") {
  auto how = draw_settings(3);
  for (int steps = 0; steps < 500; ++steps) {
    const auto next = simpler(how);
    CHECK(std::ranges::find(next, how) == next.end());
    if (next.empty())
      break;
    how = next.front();
  }
  CHECK(how.clients == 1);
  CHECK(how.crashes_per_second == 0);
  CHECK(how.reads_max == settings{}.reads_max);
}
