// What a task had reached before the process ended is there for what comes after it.
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/specs.hpp"

using namespace troupe;
using namespace troupe::testing;

TEST_CASE("artifacts from before a restart stay, and reach whoever depends on the task", "[actors][recovery][time]") {
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

TEST_CASE("what a task made before a restart counts, although it makes nothing after it", "[actors][recovery][time]") {
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
