// Which of the messages to a remote task come too late.
#include "agents/a2a/waiting_inputs.hpp"
#include "tests/agents/a2a/course_bed.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::testing;

TEST_CASE("an answer is late if the agent waits for something else by then", "[agents][a2a]") {
  waiting_inputs all;
  all.note_asked("which");
  all.note_asked("why");
  SECTION("it waits for it") {
    all.add(user_text("this", "u1"), true, "which");
    CHECK_FALSE(all.front().is_late);
  }
  SECTION("it waits for the next one") {
    all.add(user_text("this", "u1"), true, "why");
    CHECK(all.front().is_late);
    all.pop();
    all.add(user_text("so", "u2"), true, "why");
    CHECK_FALSE(all.front().is_late);
  }
  SECTION("it waits for nothing") {
    all.add(user_text("this", "u1"), true, "");
    CHECK(all.front().is_late);
  }
  SECTION("our task knows that the first one has ended") {
    all.note_ended("which");
    all.add(user_text("so", "u1"), true, "why");
    CHECK_FALSE(all.front().is_late);
  }
}

TEST_CASE("a message that is no answer is never late", "[agents][a2a]") {
  waiting_inputs all;
  all.add_left(user_text("of before", "u0"));
  all.note_asked("which");
  all.add(user_text("by the way", "u1"), false, "which");
  all.note_other_input("which"); // the agent takes it for its answer
  all.add(user_text("this", "u2"), true, "");
  for (const auto* text : {"of before", "by the way", "this"}) {
    REQUIRE_FALSE(all.empty());
    CHECK(text_of(all.front().said->parts) == text);
    CHECK_FALSE(all.front().is_late);
    all.pop();
  }
  CHECK(all.empty());
}

TEST_CASE("an answer that no question waits for is handed over", "[agents][a2a]") {
  waiting_inputs all;
  all.note_asked("which");
  all.forget_questions();
  all.add(user_text("this", "u1"), true, "");
  CHECK(all.front().answers);
  CHECK_FALSE(all.front().is_late);
}
