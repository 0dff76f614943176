// A pause outlives the process: what begins again begins nothing new, and goes on when it is told
// to.
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/specs.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

objective_spec two_plans() {
  auto second = a_plan("q", {a_task("c", {}, "hand")});
  second.dependencies = {"p"};
  return an_objective(
      {a_plan("p", {a_task("a", {}, "hand"), a_task("b", {"a"}, "hand")}), std::move(second)});
}

} // namespace

TEST_CASE("a paused objective stays paused over a restart until it is resumed", "[actors][pause]") {
  clock_bed bed;
  bed.begin(two_plans());
  bed.move(objective_state::blocked);
  CHECK(bed.objective()->paused);
  bed.restart();
  CHECK(bed.objective()->state == objective_state::blocked);
  CHECK(bed.objective()->reason == "paused by request");
  CHECK(bed.objective()->plans[0].state == plan_state::blocked);
  // What had begun is the agent's next attempt; what had not waits.
  CHECK(bed.hand->of("a").number == 2);
  bed.report("a", report_completed{});
  CHECK(bed.states() == "completed pending");
  bed.restart();
  CHECK(bed.states() == "completed pending");
  CHECK(bed.objective()->state == objective_state::blocked);
  bed.move(objective_state::working);
  CHECK_FALSE(bed.objective()->paused);
  CHECK(bed.objective()->plans[0].state == plan_state::working);
  bed.report("b", report_completed{});
  bed.report("c", report_completed{});
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("a paused plan is paused after a restart while others go on", "[actors][pause]") {
  clock_bed bed;
  bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand"), a_task("b", {"a"}, "hand")}),
                          a_plan("q", {a_task("c", {}, "hand"), a_task("d", {"c"}, "hand")})}));
  bed.move_plan(0, plan_state::blocked);
  bed.restart();
  CHECK(bed.objective()->state == objective_state::working);
  CHECK(bed.objective()->plans[0].state == plan_state::blocked);
  CHECK(bed.objective()->plans[1].state == plan_state::working);
  bed.report("a", report_completed{});
  bed.report("c", report_completed{});
  CHECK(bed.states(0) == "completed pending");
  CHECK(bed.states(1) == "completed working");
  bed.report("d", report_completed{});
  CHECK(bed.objective()->state == objective_state::blocked);
  CHECK(bed.objective()->reason == "its plans are paused by request");
  bed.move_plan(0, plan_state::working);
  CHECK_FALSE(bed.objective()->plans[0].paused);
  bed.report("b", report_completed{});
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("a pause survives a restart before its plans receive it", "[actors][pause]") {
  clock_bed bed;
  const auto id = bed.begin(two_plans());
  update_objective command;
  command.id = id;
  command.state = objective_state::blocked;
  bool answered = false;
  bed.main_gateway().update(command,
                            [&](const result<objective_ptr>& how) { answered = how.has_value(); });
  while (!bed.objective()->paused)
    REQUIRE(bed.clock.step());
  REQUIRE(bed.objective()->plans[0].state == plan_state::working);
  CHECK_FALSE(answered); // the caller was told nothing yet
  bed.restart();
  CHECK(bed.objective()->state == objective_state::blocked);
  CHECK(bed.objective()->plans[0].state == plan_state::blocked);
  bed.report("a", report_completed{});
  CHECK(bed.states() == "completed pending");
}

TEST_CASE(
    "a pause is for plans that are started one by one as well, and planning goes on with them",
    "[actors][pause]") {
  clock_bed bed;
  bed.begin(two_plans(), false);
  bed.move_plan(0, plan_state::working);
  CHECK(bed.objective()->state == objective_state::planning);
  bed.move(objective_state::blocked);
  CHECK(bed.objective()->state == objective_state::blocked);
  bed.report("a", report_completed{});
  CHECK(bed.states() == "completed pending");
  if (GENERATE(false, true))
    bed.restart();
  CHECK(bed.objective()->state == objective_state::blocked);
  bed.move(objective_state::planning);
  CHECK(bed.objective()->state == objective_state::planning);
  CHECK_FALSE(bed.objective()->paused);
  bed.report("b", report_completed{});
  CHECK(bed.objective()->state == objective_state::planning);
  CHECK(bed.states(1) == "pending");
  bed.move_plan(1, plan_state::working);
  bed.report("c", report_completed{});
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("`planning` ends a pause that the plans have not received yet", "[actors][pause]") {
  clock_bed bed;
  const auto id = bed.begin(two_plans(), false);
  bed.move_plan(0, plan_state::working);
  update_objective command;
  command.id = id;
  std::size_t answered = 0;
  for (const auto to : {objective_state::blocked, objective_state::planning}) {
    command.state = to;
    bed.main_gateway().update(
        command, [&](const result<objective_ptr>& how) { answered += how.has_value() ? 1 : 0; });
  }
  bed.clock.settle();
  CHECK(answered == 2);
  CHECK_FALSE(bed.objective()->paused);
  bed.report("a", report_completed{});
  CHECK(bed.states() == "completed working");
}

TEST_CASE("an objective that ends while it is paused is not paused when it is tried again",
          "[actors][pause]") {
  clock_bed bed;
  bed.begin(two_plans());
  bed.move(objective_state::blocked);
  bed.move(objective_state::canceled);
  CHECK_FALSE(bed.objective()->paused);
  bed.move(objective_state::submitted);
  bed.move(objective_state::working);
  bed.report("a", report_completed{});
  bed.report("b", report_completed{});
  bed.report("c", report_completed{});
  CHECK(bed.objective()->state == objective_state::completed);
}
