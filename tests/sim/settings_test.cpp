#include "tests/support/catch.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/settings_text.hpp"
#include "sim/simpler.hpp"

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
}

TEST_CASE("settings are read as TOML", "[sim]") {
  const auto read = read_settings("seed=3\r\n"
                                  "   \r\n"
                                  "\tclients = 1_0 # ten\r\n"
                                  "span = 2\n"
                                  "  # nothing\n"
                                  "\"has-stranger\" = true");
  REQUIRE(read.has_value());
  CHECK(read->seed == 3);
  CHECK(read->clients == 10);
  CHECK(read->span == std::chrono::seconds(2));
  CHECK(read->has_stranger);
}

TEST_CASE("settings that cannot be read are refused with the line and what is allowed", "[sim]") {
  struct row {
    std::string text;
    std::string message; ///< Its begin.
  };
  for (const auto& each : std::vector<row>{
           {"", "there is no setting in it; "},
           {"# seed = 1\n", "there is no setting in it; "},
           {"seed = 1\nclient = 2\n", "line 2: there is no setting \"client\"; did you mean "
                                      "\"clients\"?; found \"client = 2\""},
           {"zzzzzz = 2\n", "line 1: there is no setting \"zzzzzz\"; found "},
           {"[seed]\na = 1\n", "line 1: seed is a whole number from 0 to "},
           {"seed = one\n", "line 1: "},
           {"seed = -1\n", "line 1: seed is a whole number from 0 to 9223372036854775807; found "},
           {"seed = \"1\"\n", "line 1: seed is a whole number"},
           {"seed\n", "line 1: "},
           {"span = 2.\n", "line 1: "},
           {"span = 580\n",
            "line 1: span is a time in seconds from 0 to 300; found \"span = 580\""},
           {"span = 1e300\n", "line 1: span is a time in seconds from 0 to 300; found "},
           {"span = nan\n", "line 1: span is a time in seconds from 0 to 300; found "},
           {"settled-linger = 0.5\n",
            "line 1: settled-linger is a time in seconds from 0 to 60, in steps of 1; found "},
           {"\nclients = 2 3\n", "line 2: "},
           {"clients = 2.5\n", "line 1: clients is a whole number from 1 to 100; found "},
           {"clients = 100000000\n", "line 1: clients is a whole number from 1 to 100; found "},
           {"deduplicates = 1\n", "line 1: deduplicates is true or false; found "},
           {"resets = 1.5\n", "line 1: resets is a number from 0 to 1; found "},
           {"resets = -0.1\n", "line 1: resets is a number from 0 to 1; found "},
           {"crashes-per-second = 1e9\n", "line 1: crashes-per-second is a number from 0 to 100; "},
           {"bug = \"short-lst\"\n",
            "line 1: there is no planted bug \"short-lst\"; did you mean \"short-list\"?; found "},
           {"only = c0.1\n", "line 1: "},
           {"only = [\"c0.1\"]\n", "line 1: only is operations of clients, in quotes: "},
           {"only = \"c0.1 c0x\"\n",
            "line 1: \"c0x\" is no operation; only is operations of clients"},
           {"seed = 1\nspan = 2\n seed=3\n",
            "line 3: line 1 sets this already; leave one of them out; found \" seed=3\""},
           {"is-durable = false\ncrash-at-step = 9\n", "crash-at-step needs is-durable = true"},
       }) {
    CAPTURE(each.text);
    const auto read = read_settings(each.text);
    REQUIRE_FALSE(read.has_value());
    INFO(read.error().message);
    CHECK(read.error().message.starts_with(each.message));
  }
}

TEST_CASE("settings that would break a world are refused", "[sim]") {
  for (const std::string name :
       {"sector-bytes", "window-bytes", "group-bytes", "group-ahead-changes", "reads-max",
        "reads-per-client-max", "requests-max", "connections-max", "streams-max", "clients"}) {
    CAPTURE(name);
    CHECK_FALSE(read_settings(name + " = 0\n").has_value());
    CHECK_FALSE(read_settings(name + " = -1\n").has_value());
    CHECK(read_settings(name + " = 64\n").has_value());
  }
  CHECK_FALSE(read_settings("sync-max = -1\n").has_value());
  CHECK_FALSE(read_settings("subscribers = 10000\n").has_value());
}

TEST_CASE("settings that are drawn are allowed, and so are simpler ones", "[sim]") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    auto how = draw_settings(seed);
    REQUIRE(check(how).has_value());
    how.crash_at_step = how.is_durable ? 100 : 0;
    for (const auto& each : simpler(how)) {
      const auto allowed = check(each);
      INFO((allowed ? "" : allowed.error().message));
      REQUIRE(allowed.has_value());
    }
  }
  settings how;
  how.sector_bytes = 0;
  CHECK(check(how).error().message
        == "sector-bytes = 0: it is a whole number from 1 to 1073741824");
}

TEST_CASE("steps of agents are left out altogether, by half and one by one", "[sim]") {
  settings how;
  how.agent_steps_max = 5;
  std::vector<std::size_t> tried;
  for (const auto& each : simpler(how))
    if (each.agent_steps_max != how.agent_steps_max)
      tried.push_back(each.agent_steps_max);
  CHECK(tried == std::vector<std::size_t>{0, 2, 4});
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
