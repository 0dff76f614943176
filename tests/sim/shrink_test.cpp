#include "tests/support/catch.hpp"

#include <chrono>

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
  CHECK(got.found.contains("kept"));
}

TEST_CASE("what does not fail is not made smaller", "[sim][shrink]") {
  const auto how = draw_settings(1);
  const auto same = shrink(how, "kept", 300);
  CHECK(same.runs == 1);
  CHECK(same.how == how);
}

TEST_CASE("a world that dies at one step keeps its disk, or does not die any more",
          "[sim][shrink]") {
  settings how;
  how.seed = 15;
  how.span = std::chrono::seconds{3};
  how.clients = 1;
  REQUIRE(how.is_durable);
  how.crash_at_step = 100;
  how.bug = mutant::short_list;
  const auto small = shrink(how, "lists", 100);
  CHECK_FALSE(small.sentence.empty());
  CHECK((small.how.is_durable || small.how.crash_at_step == 0));
  CHECK(check(small.how).has_value());
}

TEST_CASE("a small failure is told as one line", "[sim][shrink]") {
  shrunk small;
  small.sentence = "a\nb";
  CHECK(text_of(small, "kept") == "# kept: a b\nseed = 1\n");
  small.sentence = "\xff";
  CHECK(read_settings(text_of(small, "kept")).has_value());
  small.runs = small.clients = small.operations = small.faults = 1;
  CHECK(sizes_of(small)
        == "after 1 run, these are left: 1 client, 1 operation and 1 kind of faults:\n");
}
