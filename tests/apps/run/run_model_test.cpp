#include "apps/run/run_model.hpp"
#include "tests/apps/run_bed.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::testing;
using std::chrono::milliseconds;

namespace {

run_bed three_tasks() {
  return run_bed({plan_named("Write", {task_named("a"), task_named("b"), task_named("c")})});
}

state_counts counts(std::size_t pending, std::size_t working, std::size_t waiting,
                    std::size_t completed, std::size_t failed, std::size_t canceled) {
  return {pending, working, waiting, completed, failed, canceled, 0};
}

} // namespace

TEST_CASE("counts follow the states of the tasks", "[apps][run_model]") {
  auto bed = three_tasks();
  CHECK(bed.model.counts() == counts(3, 0, 0, 0, 0, 0));
  bed.move(10, 0, 0, task_state::working);
  bed.move(10, 0, 1, task_state::working);
  CHECK(bed.model.counts() == counts(1, 2, 0, 0, 0, 0));
  bed.move(20, 0, 0, task_state::completed);
  bed.move(30, 0, 1, task_state::failed, 1, "no disk");
  bed.tell(40, tasks_withdrawn{0, {2}, task_state::canceled, "its plan failed"});
  CHECK(bed.model.counts() == counts(0, 0, 0, 1, 1, 1));
  CHECK(bed.model.plans()[0].counts == bed.model.counts());
  CHECK(bed.model.plans()[0].failed == std::set<std::uint32_t>{1});
  CHECK(bed.model.plans()[0].reasons.at(1) == "no disk");
  CHECK(bed.model.plans()[0].active.empty());
  CHECK(bed.model.parallel_seen_max() == 2);
  CHECK(bed.model.attempts() == 2);
}

TEST_CASE(
    "a task that is added while its plan runs gets a row, and one that is removed is withdrawn",
    "[apps][run_model]") {
  auto bed = three_tasks();
  task_spec added;
  added.id = task_id{"added"};
  added.name = "d";
  bed.tell(10, plan_changed{0, {add_task{added}, remove_task<std::uint32_t>{2}}, "", "", 1});
  CHECK(bed.model.counts() == counts(3, 0, 0, 0, 0, 0));
  bed.tell(10, tasks_withdrawn{0, {2}, task_state::canceled, "removed from its plan"});
  CHECK(bed.model.counts() == counts(3, 0, 0, 0, 0, 0)); // It is no more one of the tasks.
  CHECK(bed.model.plans()[0].counts == bed.model.counts());
  REQUIRE(bed.model.plans()[0].tasks.size() == 4);
  CHECK(bed.model.plans()[0].spec->tasks[3].name == "d");
  run_model again;
  again.reset(bed.model.view());
  CHECK(again.counts() == bed.model.counts());
}

TEST_CASE("a rejected task counts as failed", "[apps][run_model]") {
  auto bed = three_tasks();
  bed.move(10, 0, 0, task_state::rejected);
  CHECK(bed.model.counts().failed == 1);
}

TEST_CASE("attempts add up and the time of a task is that of its last attempt",
          "[apps][run_model]") {
  auto bed = three_tasks();
  bed.move(0, 0, 0, task_state::working, 1);
  bed.move(100, 0, 0, task_state::working, 2);
  bed.move(150, 0, 0, task_state::working, 3);
  CHECK(bed.model.plans()[0].tasks[0].elapsed(at(180)) == milliseconds{30});
  bed.move(190, 0, 0, task_state::completed, 3);
  CHECK(bed.model.plans()[0].tasks[0].elapsed(at(1000)) == milliseconds{40});
  CHECK(bed.model.attempts() == 3);
  CHECK(bed.model.parallel_seen_max() == 1);
}

TEST_CASE("a task that is done at once has had one attempt", "[apps][run_model]") {
  auto bed = three_tasks();
  bed.move(5, 0, 0, task_state::completed, 1);
  CHECK(bed.model.attempts() == 1);
  CHECK(bed.model.plans()[0].tasks[0].elapsed(at(50)) == milliseconds{0});
}

TEST_CASE("a renewed task is pending again and its next attempts count on", "[apps][run_model]") {
  auto bed = three_tasks();
  bed.move(0, 0, 0, task_state::working, 1);
  bed.move(1, 0, 0, task_state::failed, 1);
  bed.tell(2, tasks_renewed{0, {0}});
  CHECK(bed.model.counts() == counts(3, 0, 0, 0, 0, 0));
  CHECK(bed.model.plans()[0].tasks[0].generation == 1);
  bed.move(3, 0, 0, task_state::working, 1);
  CHECK(bed.model.attempts() == 2);
}

TEST_CASE("questions are listed until they are answered or the task ends", "[apps][run_model]") {
  auto bed = three_tasks();
  bed.move(0, 0, 0, task_state::working);
  bed.move(1, 0, 0, task_state::input_required, 1, "Which city?");
  bed.move(1, 0, 1, task_state::auth_required, 1, "Token?");
  REQUIRE(bed.model.questions().size() == 2);
  CHECK(bed.model.questions()[0].prompt == "Which city?");
  CHECK(bed.model.questions()[0].task == task_id("obj-1.p0.t0"));
  CHECK_FALSE(bed.model.questions()[0].auth);
  CHECK(bed.model.questions()[1].auth);
  CHECK(bed.model.counts().waiting == 2);
  bed.move(2, 0, 0, task_state::working);
  bed.move(3, 0, 1, task_state::canceled);
  CHECK(bed.model.questions().empty());
}

TEST_CASE("a task that asks again has one question, the new one", "[apps][run_model]") {
  auto bed = three_tasks();
  bed.move(1, 0, 0, task_state::input_required, 1, "first");
  bed.move(2, 0, 0, task_state::working);
  bed.move(3, 0, 0, task_state::input_required, 1, "second");
  REQUIRE(bed.model.questions().size() == 1);
  CHECK(bed.model.questions()[0].prompt == "second");
}

TEST_CASE("progress counts completed tasks and how far active ones say they are",
          "[apps][run_model]") {
  auto bed = three_tasks();
  CHECK(bed.model.progress() == 0.0);
  bed.move(0, 0, 0, task_state::working);
  bed.move(0, 0, 1, task_state::completed);
  bed.tell_task(1, 0, 0,
                task_progress{std::make_shared<progress_report>(
                    progress_report{{tracker("x", 1, 2), tracker("y", 0, 2)}, std::nullopt})});
  CHECK(bed.model.progress() == Approx((1.0 + 0.25) / 3.0));
  bed.move(2, 0, 0, task_state::failed);
  CHECK(bed.model.plans()[0].progress.empty());
  CHECK(bed.model.progress() == Approx((1.0 + 0.25) / 3.0)); // it does not go back
}

TEST_CASE("what a snapshot says of times is shown", "[apps][run_model]") {
  objective_view view;
  view.id = objective_id("o");
  view.state = objective_state::working;
  view.created = at(0);
  plan_view plan;
  plan.spec = plan_named("P", {task_named("a"), task_named("b"), task_named("c")});
  plan.state = plan_state::working;
  plan.created = at(0);
  plan.began = at(100);
  plan.tasks = std::vector<task_summary>{
      task_summary{.state = task_state::working, .attempt = 1, .changed_ms = 400},
      task_summary{.state = task_state::working, .attempt = 1, .changed_ms = UINT32_MAX},
      task_summary{.changed_ms = 100}};
  view.plans.push_back(std::move(plan));
  run_model model;
  model.reset(view);
  CHECK(model.plans()[0].elapsed(at(1000)) == milliseconds{900});
  CHECK(model.plans()[0].tasks[0].elapsed(at(1000)) == milliseconds{600});
  CHECK(model.plans()[0].tasks[1].began == timestamp{}); // not known
  CHECK(model.plans()[0].tasks[2].began == timestamp{});
}

TEST_CASE("a plan that failed because everything was canceled is canceled", "[apps][run_model]") {
  auto bed = three_tasks();
  bed.move(0, 0, 0, task_state::working);
  bed.plan(1, 0, plan_state::working);
  bed.tell(2, objective_closing{objective_state::canceled, "by request"});
  bed.move(3, 0, 0, task_state::canceled);
  bed.plan(4, 0, plan_state::failed, "by request");
  CHECK(bed.model.is_canceled(bed.model.plans()[0])); // already before the objective is
  bed.tell(5, objective_moved{objective_event::cancel, ""});
  CHECK(bed.model.is_canceled(bed.model.plans()[0]));
  auto failed = three_tasks();
  failed.plan(1, 0, plan_state::working);
  failed.move(3, 0, 0, task_state::failed);
  failed.plan(4, 0, plan_state::failed);
  failed.tell(5, objective_moved{objective_event::cancel, ""});
  CHECK_FALSE(failed.model.is_canceled(failed.model.plans()[0]));
}

TEST_CASE("the time of a run stops once it has settled", "[apps][run_model]") {
  auto bed = three_tasks();
  CHECK(bed.model.elapsed(at(300)) == milliseconds{300});
  bed.tell(400, objective_moved{objective_event::complete, ""});
  CHECK(bed.model.elapsed(at(9000)) == milliseconds{400});
  CHECK(bed.model.state() == objective_state::completed);
}

TEST_CASE("what is tried again takes its time from the new beginning", "[apps][run_model]") {
  auto bed = three_tasks();
  bed.plan(0, 0, plan_state::working);
  bed.move(0, 0, 0, task_state::working);
  bed.move(100, 0, 0, task_state::completed);
  bed.move(100, 0, 1, task_state::working);
  bed.move(200, 0, 1, task_state::failed);
  bed.plan(200, 0, plan_state::failed);
  bed.tell(200, objective_moved{objective_event::fail, ""});
  bed.tell(5000, objective_moved{event_to(objective_state::submitted), ""});
  bed.tell(5000, tasks_renewed{0, {1, 2}});
  bed.plan(5000, 0, plan_state::pending);
  CHECK(bed.model.elapsed(at(5500)) == milliseconds{0});
  CHECK(bed.model.plans()[0].elapsed(at(5500)) == milliseconds{0});
  bed.tell(6000, objective_moved{objective_event::work, ""});
  bed.plan(6000, 0, plan_state::working);
  bed.move(6000, 0, 1, task_state::working);
  bed.move(6250, 0, 1, task_state::completed);
  bed.plan(6300, 0, plan_state::completed);
  bed.tell(6300, objective_moved{objective_event::complete, ""});
  CHECK(bed.model.elapsed(at(9000)) == milliseconds{300});
  CHECK(bed.model.plans()[0].elapsed(at(9000)) == milliseconds{300});
  CHECK(bed.model.plans()[0].tasks[1].elapsed(at(9000)) == milliseconds{250});
  CHECK(bed.model.plans()[0].tasks[0].elapsed(at(9000)) == milliseconds{100}); // It stays.
}

TEST_CASE("a model starts from a snapshot in the middle of a run", "[apps][run_model]") {
  objective_view view;
  view.id = objective_id("obj-7");
  view.name = "Half way";
  view.state = objective_state::working;
  auto plan = std::make_shared<plan_spec>(
      *plan_named("p", {task_named("a"), task_named("b"), task_named("c")}));
  plan->id = plan_id("obj-7.p0");
  plan_view row;
  row.spec = plan;
  row.state = plan_state::working;
  row.tasks.resize(3);
  row.tasks.edit(0) = task_summary{.state = task_state::completed, .attempt = 2};
  row.tasks.edit(1) = task_summary{.state = task_state::input_required, .attempt = 1};
  view.plans.push_back(row);
  view.pending_inputs.push_back({row.task_at(1), "Go on?", at(0), 0, 0, {}});

  run_model model;
  model.reset(view);
  CHECK(model.counts() == counts(1, 0, 1, 1, 0, 0));
  CHECK(model.attempts() == 3);
  REQUIRE(model.questions().size() == 1);
  CHECK(model.questions()[0].prompt == "Go on?");
  CHECK(model.questions()[0].index == 1);
  model.measured(0, 0, at(0), at(250));
  CHECK(model.plans()[0].tasks[0].elapsed(at(900)) == milliseconds{250});
  model.explained(0, 2, "no route");
  CHECK(model.plans()[0].reasons.at(2) == "no route");
}

TEST_CASE("changes that name what does not exist are ignored", "[apps][run_model]") {
  auto bed = three_tasks();
  bed.move(0, 7, 0, task_state::working);
  bed.move(0, 0, 99, task_state::working);
  bed.plan(0, 9, plan_state::failed);
  bed.tell(0, tasks_withdrawn{0, {50}, task_state::canceled, ""});
  bed.tell(0, tasks_renewed{0, {50}});
  bed.tell(0, tasks_renewed{8, {0}});
  CHECK(bed.model.counts() == counts(3, 0, 0, 0, 0, 0));
}

TEST_CASE("a plan added later joins the counts", "[apps][run_model]") {
  auto bed = three_tasks();
  bed.tell(1, plan_added{plan_named("More", {task_named("x")})});
  CHECK(bed.model.counts().pending == 4);
  CHECK(bed.model.plans().size() == 2);
}

TEST_CASE("the tasks of a skipped plan are skipped, and the run is whole without them",
          "[apps][run_model]") {
  run_bed bed({plan_named("first", {task_named("a")}),
               plan_named("second", {task_named("b"), task_named("c")})});
  bed.move(0, 0, 0, task_state::completed);
  bed.plan(1, 1, plan_state::skipped, "not needed");
  CHECK(bed.model.counts().skipped == 2);
  CHECK(bed.model.counts().pending == 0);
  CHECK(bed.model.plans()[1].counts.skipped == 2);
  CHECK(bed.model.progress() == Approx(1.0)); // only what has completed is whole
  CHECK(bed.model.counts().total() == 3);
}
