// An attempt's time, and what happens to an agent that is told to stop.
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/reads.hpp"
#include "tests/support/results.hpp"
#include "tests/support/specs.hpp"
#include <troupe/actors/limits.hpp>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::testing;

namespace {

task_spec timed(milliseconds timeout, std::uint32_t attempts = 1) {
  auto out = a_task("a", {}, "hand");
  out.timeout = timeout;
  out.retry = {.attempts_max = attempts, .backoff = 1s};
  return out;
}

using lines = std::vector<std::string>;

} // namespace

TEST_CASE("an attempt that takes too long is stopped and fails", "[actors][time]") {
  clock_bed bed;
  bed.begin(an_objective({a_plan("p", {timed(2s)})}));
  bed.pass(1999ms);
  CHECK(bed.hand->canceled.empty());
  bed.pass(1ms);
  CHECK(bed.hand->canceled == lines{"a"});
  CHECK(bed.seen->lines == lines{"0 a working", "2 a failed"});
  CHECK(bed.text("a") == "timed out after 2 s");
  CHECK(bed.hand->running() == 0);
}

TEST_CASE("each attempt has the whole time to itself", "[actors][time]") {
  clock_bed bed;
  bed.begin(an_objective({a_plan("p", {timed(2s, 2)})}));
  bed.pass(1min);
  CHECK(bed.seen->lines == lines{"0 a working", "2 a working", "3 a working #2", "5 a failed #2"});
  CHECK(bed.text("a") == "timed out after 2 s (attempt 2 of 2)");
}

TEST_CASE("the time-out of an attempt that is over does not touch the next one", "[actors][time]") {
  clock_bed bed;
  bed.begin(an_objective({a_plan("p", {timed(2s, 2)})}));
  bed.pass(500ms);
  bed.report("a",
             report_failed{
                 "no", true}); // the next begins at 1.5 s; the first one's time would be up at 2 s
  bed.pass(2s);
  CHECK(bed.states() == "working");
  bed.pass(1s);
  CHECK(bed.text("a") == "timed out after 2 s (attempt 2 of 2)");
}

TEST_CASE("the time-out of an attempt that is over does not count as another failure while the "
          "next one is waited for",
          "[actors][time]") {
  clock_bed bed;
  auto slow_to_return = timed(2s, 3);
  slow_to_return.retry.backoff = 10s;
  bed.begin(an_objective({a_plan("p", {slow_to_return})}));
  bed.report("a", report_failed{"no", true});
  bed.pass(10s);
  CHECK(bed.seen->lines == lines{"0 a working", "0 a working", "10 a working #2"});
}

TEST_CASE("an agent that needs a while to stop has its grace, and the next attempt begins after it",
          "[actors][time]") {
  clock_bed bed{{.cancel_grace = 5s}};
  bed.hand->stops_at_once = false;
  bed.begin(an_objective({a_plan("p", {timed(2s, 2)})}));
  bed.pass(2s);
  CHECK(bed.hand->canceled == lines{"a"});
  CHECK(bed.hand->running() == 1);
  SECTION("it says that it has stopped") {
    bed.pass(1s);
    bed.report("a", report_failed{"killed", false});
    CHECK(bed.hand->running() == 0);
    bed.pass(1s);
    CHECK(bed.seen->lines == lines{"0 a working", "3 a working", "4 a working #2"});
  }
  SECTION("it never says a word") {
    bed.pass(4999ms);
    CHECK(bed.hand->running() == 1);
    bed.pass(1ms);
    CHECK(bed.hand->running() == 0);
    bed.pass(1s);
    CHECK(bed.seen->lines == lines{"0 a working", "7 a working", "8 a working #2"});
  }
  SECTION("it has success after its grace, before the next attempt") {
    bed.pass(5500ms);
    bed.report("a", report_completed{});
    bed.pass(500ms);
    CHECK(bed.seen->lines == lines{"0 a working", "7 a working", "8 a working #2"});
  }
  SECTION("its success comes too late") {
    bed.report("a", report_completed{});
    bed.pass(1s);
    CHECK(bed.seen->lines == lines{"0 a working", "2 a working", "3 a working #2"});
  }
}

TEST_CASE("an agent that needs longer than the usual grace has it, and the next attempt waits",
          "[actors][time]") {
  clock_bed bed{{.cancel_grace = 5s}};
  bed.hand->stops_at_once = false;
  bed.hand->grace_min = 65s; // more than one hop of a timer
  bed.begin(an_objective({a_plan("p", {timed(2s, 2)})}));
  bed.pass(2s + 65s - 1ms);
  CHECK(bed.hand->running() == 1);
  bed.pass(1ms);
  CHECK(bed.hand->running() == 0);
  bed.pass(1s);
  CHECK(bed.seen->lines == lines{"0 a working", "67 a working", "68 a working #2"});
}

TEST_CASE(
    "an agent that needs longer than the usual grace keeps its place that long when it is canceled",
    "[actors][time]") {
  clock_bed bed{{.cancel_grace = 5s}};
  bed.hand->limit = 1;
  bed.hand->stops_at_once = false;
  bed.hand->grace_min = 30s;
  bed.begin(
      an_objective({going_on(a_plan("p", {a_task("a", {}, "hand"), a_task("b", {}, "hand")}))}));
  static_cast<void>(bed.cancel("a"));
  bed.pass(30s - 1ms);
  CHECK(bed.hand->attempts.size() == 1);
  bed.pass(1ms);
  CHECK(bed.seen->lines == lines{"0 a working", "0 a canceled", "30 b working"});
}

TEST_CASE("an agent that asks too much is stopped, and has its grace", "[actors][time]") {
  clock_bed bed{{.cancel_grace = 5s}};
  bed.hand->stops_at_once = false;
  bed.begin(an_objective({a_plan("p", {timed(0s)})}));
  for (std::size_t i = 0; i < task_questions_max + 2; ++i) // one is open, task_questions_max wait
    bed.report("a", report_question{"?", false});
  CHECK(bed.hand->canceled == lines{"a"});
  CHECK(bed.hand->running() == 1);
  bed.pass(5s);
  CHECK(bed.hand->running() == 0);
  CHECK(bed.states() == "failed");
  CHECK_THAT(bed.text("a"), ContainsSubstring("more questions"));
}

TEST_CASE("the time of an attempt does not run during a question, and begins again with the answer",
          "[actors][time]") {
  clock_bed bed;
  bed.begin(an_objective({a_plan("p", {timed(2s)})}));
  bed.pass(1s);
  bed.report("a", report_question{"which?", false});
  bed.pass(1h);
  CHECK(bed.states() == "input-required");
  bed.say("a", "the red one");
  CHECK(bed.hand->heard == lines{"a answer:the red one"});
  bed.pass(1999ms);
  CHECK(bed.states() == "working");
  bed.pass(1ms);
  CHECK(bed.text("a") == "timed out after 2 s");
}

TEST_CASE("an answer before the timeout also begins the time of the attempt again",
          "[actors][time]") {
  clock_bed bed;
  bed.begin(an_objective({a_plan("p", {timed(3s, 2)})}));
  bed.report("a", report_question{"which?", false});
  bed.pass(2600ms);
  bed.say("a", "the red one");
  bed.pass(1s);
  bed.report("a", report_question{"how many?", false});
  bed.pass(500ms);
  bed.say("a", "two");
  bed.pass(2999ms);
  CHECK(bed.states() == "working");
  bed.pass(1ms);
  CHECK_THAT(bed.text("a"), ContainsSubstring("timed out after 3 s"));
  // Nothing of this is left for the next attempt.
  bed.pass(1s);
  CHECK(bed.hand->of("a").number == 2);
  bed.pass(2999ms);
  CHECK(bed.states() == "working");
  bed.pass(1ms);
  CHECK(bed.states() == "failed");
}

TEST_CASE("a message that answers nothing gives the attempt no more time", "[actors][time]") {
  clock_bed bed;
  bed.begin(an_objective({a_plan("p", {timed(3s)})}));
  bed.pass(2s);
  bed.say("a", "hurry");
  bed.pass(1s);
  CHECK(bed.text("a") == "timed out after 3 s");
}

TEST_CASE("a task that waits for its next attempt can be canceled, and none begins",
          "[actors][time]") {
  clock_bed bed;
  bed.begin(an_objective({a_plan("p", {timed(0s, 5)})}));
  bed.report("a", report_failed{"no", true});
  bed.pass(500ms);
  const auto answer = bed.cancel("a");
  REQUIRE(*answer);
  REQUIRE(**answer);
  CHECK((***answer)->status.state == task_state::canceled);
  bed.pass(1min);
  CHECK(bed.hand->attempts.size() == 1);
  CHECK(bed.seen->lines == lines{"0 a working", "0 a working", "0.5 a canceled"});
}

TEST_CASE("a canceled task is answered at once, and its agent keeps its place until it has stopped",
          "[actors][time]") {
  clock_bed bed{{.cancel_grace = 5s}};
  bed.hand->limit = 1;
  bed.hand->stops_at_once = false;
  bed.begin(
      an_objective({going_on(a_plan("p", {a_task("a", {}, "hand"), a_task("b", {}, "hand")}))}));
  bed.pass(1s);
  const auto answer = bed.cancel("a");
  REQUIRE(*answer);
  CHECK((***answer)->status.state == task_state::canceled);
  SECTION("it says that it has stopped") {
    bed.pass(2s);
    CHECK(bed.hand->attempts.size() == 1);
    bed.report("a", report_failed{"stopped", false});
    CHECK(bed.seen->lines == lines{"0 a working", "1 a canceled", "3 b working"});
  }
  SECTION("it never says a word") {
    bed.pass(1min);
    CHECK(bed.seen->lines == lines{"0 a working", "1 a canceled", "6 b working"});
  }
  CHECK(bed.hand->running() == 1);
  CHECK(bed.hand->canceled == lines{"a"});
}

TEST_CASE(
    "an agent that is stopped by its timeout is not asked to stop again when its task is canceled",
    "[actors][time]") {
  clock_bed bed{{.cancel_grace = 5s}};
  bed.hand->stops_at_once = false;
  bed.begin(an_objective({a_plan("p", {timed(2s, 3)})}));
  bed.pass(3s);
  const auto answer = bed.cancel("a");
  REQUIRE(*answer);
  CHECK(bed.hand->canceled == lines{"a"});
  CHECK(bed.hand->running() == 1);
  bed.pass(1min);
  CHECK(bed.hand->running() == 0);
  CHECK(bed.seen->lines == lines{"0 a working", "3 a canceled"});
  CHECK_FALSE(bed.clock.next_due());
}

TEST_CASE(
    "a message brings its deadline along: a lone task that works or asks fails when it passes",
    "[actors][time][deadline]") {
  for (const bool asks : {false, true}) {
    clock_bed bed;
    bed.agents.default_agent = "hand";
    send_message begin;
    begin.message.message_id = "m";
    begin.message.from = role::user;
    begin.message.metadata["troupe/v1/deadline"] = to_rfc3339(bed.clock.now() + 10s);
    std::optional<result<sent>> made;
    bed.main_gateway().send(begin, nullptr, [&](result<sent> got) { made = std::move(got); });
    bed.clock.settle();
    REQUIRE(made);
    const auto id = (*made)->task;
    REQUIRE(bed.hand->attempts.size() == 1);
    CHECK(bed.hand->attempts[0]->order->deadline == bed.clock.now() + 10s);
    if (asks)
      bed.hand->attempts[0]->port->report(report_question{"which?"});
    bed.pass(9s);
    CHECK_FALSE(is_terminal(find_task(bed.records(), id)->status.state));
    bed.pass(1s);
    const auto ended = find_task(bed.records(), id);
    CHECK(ended->status.state == task_state::failed);
    CHECK(text_of(ended->status.message->parts).find("has not ended before its deadline")
          != std::string::npos);
    CHECK(bed.hand->canceled.size() == 1);
    if (const auto* closed = find_closed(*ended, "question-1"); asks) {
      REQUIRE(closed != nullptr);
      CHECK(closed->state == question_state::expired);
    }
  }
}

TEST_CASE("an order has the earliest of the deadlines of task, plan and objective",
          "[actors][time][deadline]") {
  clock_bed bed;
  const auto start = bed.clock.now();
  auto first = a_task("a", {}, "hand");
  auto second = a_task("b", {}, "hand");
  second.deadline = start + 5s;
  auto plan = a_plan("p", {first, second});
  plan.deadline = start + 20s;
  auto goal = an_objective({plan});
  goal.deadline = start + 10s;
  bed.begin(goal);
  CHECK(bed.hand->of("a").order->deadline == start + 10s);
  CHECK(bed.hand->of("b").order->deadline == start + 5s);
}
