// What a task had reached before the process ended is there for what comes after it.
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/specs.hpp"

using namespace troupe;
using namespace troupe::testing;

TEST_CASE("artifacts from before a restart stay, and reach the tasks that depend on it",
          "[actors][recovery][time]") {
  clock_bed bed;
  auto after = a_task("b", {"a"}, "hand");
  after.input = {{"text", "${tasks.a.artifacts[0].text}"}};
  bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand"), std::move(after)})}));
  bed.report("a", report_artifact{text_artifact("out", "before"), false, true});
  bed.restart();
  REQUIRE(bed.hand->of("a").number == 2);
  bed.report("a", report_artifact{text_artifact("out", "after"), false, true});
  bed.report("a", report_completed{});
  const auto artifacts = bed.task("a")->artifacts;
  REQUIRE(artifacts.size() == 2);
  CHECK(artifacts[0]->artifact_id == "artifact-1");
  CHECK(text_of(artifacts[0]->parts) == "before");
  CHECK(artifacts[1]->artifact_id == "artifact-2");
  CHECK(bed.states() == "completed working");
}

TEST_CASE("artifacts from before a restart count, even if the task makes none after it",
          "[actors][recovery][time]") {
  clock_bed bed;
  bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand"), a_task("b", {"a"}, "hand")})}));
  bed.report("a", report_artifact{text_artifact("out", "before"), false, true});
  bed.restart();
  bed.report("a", report_completed{});
  CHECK(bed.objective()->plans[0].tasks[0].has_artifacts);
  const auto& order = *bed.hand->of("b").order;
  REQUIRE(order.dependencies.size() == 1);
  CHECK(text_of(order.dependencies[0].artifacts.at(0)->parts) == "before");
}

TEST_CASE("attempts that failed before a restart count, and the wait for the next goes on",
          "[actors][recovery][time]") {
  clock_bed bed;
  auto a = a_task("a", {}, "hand");
  a.retry.attempts_max = 2;
  a.retry.backoff = std::chrono::seconds{10};
  bed.begin(an_objective({a_plan("p", {std::move(a)})}));
  bed.report("a", report_failed{"first", true});
  bed.pass(std::chrono::seconds{4});
  bed.restart();
  bed.pass(std::chrono::seconds{5});
  bed.restart();
  CHECK(bed.hand->attempts.size() == 1);
  bed.pass(std::chrono::milliseconds{999});
  CHECK(bed.hand->attempts.size() == 1);
  bed.pass(std::chrono::milliseconds{1});
  REQUIRE(bed.hand->attempts.size() == 2);
  CHECK(bed.hand->of("a").number == 2);
  bed.report("a", report_failed{"second", true});
  CHECK(bed.states() == "failed");
  CHECK(bed.text("a") == "second (attempt 2 of 2)");
}

TEST_CASE("a backoff that was waited out before a restart is not waited again",
          "[actors][recovery][time]") {
  clock_bed bed;
  auto a = a_task("a", {}, "hand");
  a.retry.attempts_max = 2;
  a.retry.backoff = std::chrono::seconds{10};
  auto plan = going_on(a_plan("p", {std::move(a), a_task("b", {}, "hand")}));
  plan.parallel_max = 1;
  bed.begin(an_objective({std::move(plan)}));
  bed.report("a", report_failed{"first", true}); // "b" gets the slot.
  bed.pass(std::chrono::seconds{11});
  bed.restart();
  bed.pass(std::chrono::milliseconds{1});
  REQUIRE(bed.hand->attempts.size() == 3); // "b" goes on, and "a" stands in line.
  bed.report("b", report_completed{});
  CHECK(bed.hand->of("a").number == 2);
}

TEST_CASE("an attempt that a restart cut off has not failed", "[actors][recovery][time]") {
  clock_bed bed;
  auto a = a_task("a", {}, "hand");
  a.retry.attempts_max = 2;
  bed.begin(an_objective({a_plan("p", {std::move(a)})}));
  bed.restart();
  REQUIRE(bed.hand->of("a").number == 2);
  bed.report("a", report_failed{"once", true});
  bed.pass(std::chrono::seconds{5});
  REQUIRE(bed.hand->of("a").number == 3);
  bed.report("a", report_completed{});
  CHECK(bed.states() == "completed");
}

TEST_CASE("each attempt is told what models have used in earlier processes",
          "[actors][recovery][time]") {
  clock_bed bed;
  auto a = a_task("a", {}, "hand");
  a.retry.attempts_max = 3;
  bed.begin(an_objective({a_plan("p", {std::move(a)})}));
  CHECK(bed.hand->of("a").order->used == model_usage{});
  report_message call;
  call.message.metadata[model_usage_key] =
      boost::json::object{{"promptTokens", 7}, {"answerTokens", 3}};
  bed.report("a", call);
  bed.restart();
  const model_usage once{1, 7, 3, 0, 0, false};
  CHECK(bed.hand->of("a").order->used == once);
  bed.report("a", call);
  bed.report("a", report_failed{"once", true});
  bed.pass(std::chrono::seconds{5});
  CHECK(bed.hand->attempts.size() == 3);
  CHECK(bed.hand->of("a").order->used == once); // this process knows the rest
}

TEST_CASE("a task with restart_rule::fail keeps its backoff over a restart",
          "[actors][recovery][time]") {
  clock_bed bed;
  bed.hand->rule = restart_rule::fail;
  auto a = a_task("a", {}, "hand");
  a.retry.attempts_max = 2;
  bed.begin(an_objective({going_on(a_plan("p", {std::move(a), a_task("b", {}, "hand")}))}));
  bed.report("a", report_failed{"first", true});
  bed.restart();
  CHECK(bed.states() == "working failed"); // b ran when the process ended
  bed.pass(std::chrono::seconds{5});
  REQUIRE(bed.hand->of("a").number == 2);
  bed.report("a", report_completed{});
  CHECK(bed.states() == "completed failed");
}

TEST_CASE("a task that could begin while the process ends begins in the next one, as its first "
          "attempt",
          "[actors][recovery][time]") {
  const auto rule = GENERATE(restart_rule::next_attempt, restart_rule::fail);
  clock_bed bed;
  bed.hand->rule = rule;
  bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand"), a_task("b", {"a"}, "hand")})}));
  bed.hand->is_closed = true;
  bed.report("a", report_completed{});
  CHECK(bed.hand->attempts.size() == 1);
  bed.hand->is_closed = false;
  bed.restart();
  REQUIRE(bed.hand->attempts.size() == 2);
  CHECK(bed.hand->of("b").number == 1);
  bed.report("b", report_completed{});
  CHECK(bed.states() == "completed completed");
}

TEST_CASE("an attempt whose turn comes while the process ends is made by the next one",
          "[actors][recovery][time]") {
  clock_bed bed;
  bed.hand->rule = restart_rule::fail;
  auto a = a_task("a", {}, "hand");
  a.retry.attempts_max = 2;
  a.retry.backoff = std::chrono::seconds{10};
  bed.begin(an_objective({a_plan("p", {std::move(a)})}));
  bed.report("a", report_failed{"first", true});
  bed.hand->is_closed = true;
  bed.pass(std::chrono::seconds{20});
  CHECK(bed.hand->attempts.size() == 1);
  bed.hand->is_closed = false;
  bed.restart();
  bed.pass(std::chrono::seconds{1});
  REQUIRE(bed.hand->of("a").number == 2);
  bed.report("a", report_completed{});
  CHECK(bed.states() == "completed");
}
