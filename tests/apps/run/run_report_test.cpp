#include "apps/run/run_report.hpp"
#include "protocol/a2a/cancel_report.hpp"
#include "tests/apps/run_bed.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

std::string lines_of(const run_bed& bed) {
  std::string out;
  append_state_lines(out, bed.last, bed.model);
  return out;
}

} // namespace

TEST_CASE("each change of state is a line with the time since the start", "[apps][report]") {
  run_bed bed({plan_named("Travel", {task_named("Choose"), task_named("Book")})});
  CHECK(lines_of(bed) == "   0.00s  Ship it: working\n");
  bed.plan(10, 0, plan_state::working);
  CHECK(lines_of(bed) == "   0.01s  plan Travel: working\n");
  bed.move(20, 0, 0, task_state::input_required, 1, "Which\nflight?");
  CHECK(lines_of(bed) == "   0.02s  Travel / Choose: input-required: Which flight?\n");
  bed.move(1230, 0, 0, task_state::working, 2);
  CHECK(lines_of(bed) == "   1.23s  Travel / Choose: working (attempt 2)\n");
  bed.move(1240, 0, 0, task_state::completed, 2, "not shown");
  CHECK(lines_of(bed) == "   1.24s  Travel / Choose: completed (attempt 2)\n");
  bed.tell(1300, tasks_withdrawn{0, {1}, task_state::canceled, "the plan failed"});
  CHECK(lines_of(bed) == "   1.30s  plan Travel: 1 task canceled: the plan failed\n");
  bed.tell(1400, tasks_renewed{0, {0, 1}});
  CHECK(lines_of(bed) == "   1.40s  plan Travel: 2 tasks again\n");
}

TEST_CASE("a change of the structure says which revision it is", "[apps][report]") {
  run_bed bed({plan_named("Travel", {task_named("Choose")})});
  bed.tell(10, plan_changed{0, {rename_task<std::uint32_t>{0, "Pick"}}, "", "clearer", 3});
  CHECK(lines_of(bed) == "   0.01s  plan Travel: changed (revision 3): clearer\n");
  bed.tell(20, objective_changed{{edit_objective{{.name = "Sail"}}}, "", "by boat", 4});
  CHECK(lines_of(bed) == "   0.02s  Sail: changed (revision 4): by boat\n");
}

TEST_CASE("what a task said when it failed stands with the task only", "[apps][report]") {
  CHECK(own_reason("task \"compile\" failed: exited with 1: no such file")
        == "task \"compile\" failed");
  CHECK(own_reason("plan \"P\" failed: task \"compile\" rejected: no")
        == "plan \"P\" failed: task \"compile\" rejected");
  CHECK(own_reason("failed by request of somebody") == "failed by request of somebody");
  CHECK(own_reason("").empty());
  run_bed bed({plan_named("Build", {task_named("compile"), task_named("link")})});
  bed.move(10, 0, 0, task_state::failed, 1, "exited with 1: no such file");
  CHECK_THAT(lines_of(bed), ContainsSubstring("no such file"));
  const std::string reason = "task \"compile\" failed: exited with 1: no such file";
  bed.tell(20, tasks_withdrawn{0, {1}, task_state::canceled, reason});
  CHECK(lines_of(bed) == "   0.02s  plan Build: 1 task canceled: task \"compile\" failed\n");
  bed.tell(20, plan_moved{0, event_to(plan_state::failed), reason});
  CHECK(lines_of(bed) == "   0.02s  plan Build: failed: task \"compile\" failed\n");
  bed.tell(20, objective_moved{objective_event::fail, "plan \"Build\" failed: " + reason});
  CHECK(lines_of(bed)
        == "   0.02s  Ship it: failed: plan \"Build\" failed: task \"compile\" failed\n");
}

TEST_CASE("progress and artifacts make no lines", "[apps][report]") {
  run_bed bed({plan_named("Travel", {task_named("Choose")})});
  bed.tell_task(1, 0, 0, task_progress{std::make_shared<progress_report>()});
  CHECK(lines_of(bed).empty());
}

TEST_CASE("the summary tells how many completed and how many did not", "[apps][report]") {
  run_bed bed(
      {plan_named("P", {task_named("a"), task_named("b"), task_named("c"), task_named("d")})});
  bed.move(0, 0, 0, task_state::working);
  bed.move(2000, 0, 0, task_state::completed);
  for (std::uint32_t t = 1; t < 4; ++t)
    bed.move(2000, 0, t, task_state::failed, 1, "boom\x1b[0m");
  bed.tell(3210, objective_moved{objective_event::fail, "plan P failed"});
  CHECK(summary_text(bed.model, at(9000), std::chrono::milliseconds{2000})
        == "failed: 1 of 4 tasks completed, 3 failed, in 3.21s (critical path 2.00s, at most 1 at "
           "once, 4 attempts)\n");
}

TEST_CASE("the reason of an end that no task explains is told", "[apps][report]") {
  run_bed bed({plan_named("P", {task_named("a")})});
  bed.tell(10, objective_moved{objective_event::fail, "failed by request\nof somebody"});
  CHECK_THAT(summary_text(bed.model, at(9000), std::chrono::milliseconds{0}),
             EndsWith("\nreason: failed by request ...\n"));
}

TEST_CASE("what models have used is a line, with its cost if it is known", "[apps][report]") {
  CHECK(usage_text({}).empty());
  CHECK(usage_text({1, 11, 5, 1250, 0, false}) == "models: 1 call, 11 + 5 tokens, 1.25s\n");
  CHECK(usage_text({2, 310, 45, 400, 100, true})
        == "models: 2 calls, 310 + 45 tokens (estimated), 0.40s, cost 0.0001\n");
  CHECK_THAT(usage_text({1, 1, 1, 0, 2'500'000, false}), EndsWith(", cost 2.5\n"));
  CHECK_THAT(usage_text({1, 1, 1, 0, 10'000'000, false}), EndsWith(", cost 10\n"));
}

TEST_CASE("a completed run is one line", "[apps][report]") {
  run_bed bed({plan_named("P", {task_named("a")})});
  bed.move(0, 0, 0, task_state::completed);
  bed.tell(10, objective_moved{objective_event::complete, "all plans completed"});
  CHECK(summary_text(bed.model, at(9000), std::chrono::milliseconds{0})
        == "completed: 1 of 1 task in 0.01s (critical path 0.00s, 1 attempt)\n");
}

TEST_CASE("agents elsewhere that may go on after a cancel are named, and no others",
          "[apps][report]") {
  boost::json::object answer;
  boost::json::array entries;
  entries.push_back(cancel_entry("trip.p0.t0", "support", "acknowledged", ""));
  entries.push_back(cancel_entry("trip.p0.t1", "oven", "refused", "too\nlate"));
  entries.push_back(cancel_entry("trip.p0.t2", "hotels", "no answer", ""));
  entries.push_back(cancel_entry("trip.p0.t3", "hotels", "already ended", ""));
  answer[cancel_report_key] = std::move(entries);
  const auto lines = leaf_lines(answer);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].text == "trip.p0.t1: oven: refused, too late");
  CHECK(lines[0].is_refused);
  CHECK(lines[1].text == "trip.p0.t2: hotels: no answer");
  CHECK_FALSE(lines[1].is_refused);
  CHECK(leaf_lines({}).empty());
}
