// Tasks that call tasks of their plan, or add some to it, on the turned clock.
#include "actors/plan/open_calls.hpp"
#include "actors/task/wanted_changes.hpp"
#include "tests/support/calling_agent.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/reads.hpp"
#include "tests/support/specs.hpp"
#include <troupe/actors/limits.hpp>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::testing;

namespace {

using lines = std::vector<std::string>;

struct calls_bed : clock_bed {
  explicit calls_bed(std::vector<report_change> wanted = {
                         a_change("k", a_task("child", {}, "hand"))}) {
    agents.add("calls", caller);
    caller->wanted = std::move(wanted);
  }
  /// One plan with the task "parent", and those.
  static plan_spec family(std::vector<task_spec> others = {}) {
    others.insert(others.begin(), a_task("parent", {}, "calls"));
    return a_plan("p", std::move(others));
  }
  void begin_family() { begin(an_objective({family()})); }
  [[nodiscard]] const plan_view& plan() const { return plan_; }
  /// The state of the objective now.
  std::string now() {
    plan_ = objective()->plans[0];
    return std::string(to_string(objective()->state)) + ": " + states();
  }

  std::shared_ptr<calling_agent> caller = std::make_shared<calling_agent>();

private:
  plan_view plan_;
};

} // namespace

TEST_CASE("a called task is a task of the plan, and its caller is told what it has made",
          "[actors][time][calls]") {
  calls_bed bed;
  bed.begin_family();
  CHECK(bed.now() == "working: working working");
  CHECK(bed.plan().spec->tasks[1].caller == 0);
  CHECK(bed.hand->of("child").order->text() == "child");
  CHECK(bed.caller->heard.empty());
  bed.report("child", report_artifact{text_artifact("out", "42"), false, true});
  bed.report("child", report_completed{});
  CHECK(bed.caller->heard == lines{"k: completed 42"});
  CHECK(bed.now() == "completed: completed completed");
}

TEST_CASE("who waits for called tasks has no slot meanwhile", "[actors][time][calls]") {
  const std::string limit = GENERATE("plan", "objective", "agents");
  CAPTURE(limit);
  calls_bed bed(
      {a_change("1", a_task("one", {}, "hand")), a_change("2", a_task("two", {}, "hand"))});
  auto plan = calls_bed::family({a_task("other", {}, "hand")});
  auto objective = an_objective({});
  if (limit == "plan")
    plan.parallel_max = 1;
  else if (limit == "objective")
    objective.parallel_max = 1;
  else
    bed.caller->limit = bed.hand->limit = 1;
  objective.plans.push_back(std::make_shared<const plan_spec>(std::move(plan)));
  bed.begin(std::move(objective));
  for (const auto* name : {"other", "one", "two"}) {
    CHECK(bed.hand->running() == 1);
    bed.report(name, report_completed{});
  }
  CHECK(bed.now() == "completed: completed completed completed completed");
  CHECK(bed.caller->heard == lines{"1: completed", "2: completed"});
}

TEST_CASE("how a called task ends concerns its caller alone", "[actors][time][calls]") {
  calls_bed bed;
  bed.begin_family();
  SECTION("it fails") {
    bed.report("child", report_failed{"no paper", false});
    CHECK(bed.caller->heard == lines{"k: failed no paper"});
  }
  SECTION("it is canceled") {
    static_cast<void>(bed.cancel("child"));
    bed.clock.settle();
    REQUIRE(bed.caller->heard.size() == 1);
    CHECK_THAT(bed.caller->heard[0], StartsWith("k: canceled"));
  }
  SECTION("it is rejected") {
    bed.report("child", report_rejected{"not me"});
    CHECK(bed.caller->heard == lines{"k: rejected not me"});
  }
  CHECK_THAT(bed.now(), StartsWith("completed: completed "));
}

TEST_CASE("a called task that never began is told as well", "[actors][time][calls]") {
  calls_bed bed(
      {a_change("1", a_task("one", {}, "hand")), a_change("2", a_task("two", {}, "hand"))});
  auto plan = calls_bed::family();
  plan.parallel_max = 1;
  bed.begin(an_objective({std::move(plan)}));
  REQUIRE(bed.hand->running() == 1);
  change_plan skip;
  skip.id = bed.objective()->plans[0].spec->id;
  skip.operations = {skip_task<std::string>{"two"}};
  bool is_done = false;
  bed.main_gateway().change(std::move(skip),
                            [&](const result<change_report>& how) { is_done = how.has_value(); });
  bed.clock.settle();
  CHECK(is_done);
  bed.report("one", report_completed{});
  CHECK(bed.caller->heard == lines{"1: completed", "2: canceled skipped by request"});
  CHECK(bed.now() == "completed: completed completed skipped");
}

// A summary has a called task that did not complete as one that was skipped.
TEST_CASE("with the caller its called tasks end", "[actors][time][calls]") {
  calls_bed bed(
      {a_change("1", a_task("one", {}, "hand")), a_change("2", a_task("two", {}, "hand"))});
  auto plan = going_on(calls_bed::family());
  plan.parallel_max = 1;
  SECTION("it is canceled") {
    bed.begin(an_objective({std::move(plan)}));
    static_cast<void>(bed.cancel("parent"));
    bed.clock.settle();
    CHECK(bed.now() == "failed: canceled skipped skipped");
    CHECK(bed.text("one") == "the task that called it has ended");
    CHECK(bed.hand->canceled == lines{"one"});
  }
  SECTION("its attempt fails, and the next one calls again") {
    auto& parent = plan.tasks.edit(0);
    parent.retry.attempts_max = 2;
    parent.timeout = 10s;
    bed.begin(an_objective({std::move(plan)}));
    bed.pass(10s);
    CHECK(bed.states() == "working skipped skipped");
    bed.pass(1s);
    CHECK(bed.states() == "working skipped skipped working pending");
    bed.report("one", report_completed{});
    bed.report("two", report_completed{});
    CHECK(bed.now() == "completed: completed skipped skipped completed completed");
  }
  SECTION("the whole objective is canceled") {
    bed.begin(an_objective({std::move(plan)}));
    bed.move(objective_state::canceled);
    CHECK(bed.now() == "canceled: canceled skipped skipped");
  }
}

TEST_CASE("a restart finds a called task again and makes none a second time",
          "[actors][time][calls][recovery]") {
  calls_bed bed;
  auto plan = calls_bed::family();
  plan.parallel_max = 1;
  bed.begin(an_objective({std::move(plan)}));
  bed.restart();
  CHECK(bed.caller->starts == 2);
  CHECK(bed.now() == "working: working working");
  SECTION("it ends after the restart") {
    bed.report("child", report_artifact{text_artifact("out", "42"), false, true});
    bed.report("child", report_completed{});
    CHECK(bed.caller->heard == lines{"k: completed 42"});
  }
  SECTION("its caller has died before it was told") {
    bed.caller->completes = false;
    bed.report("child", report_artifact{text_artifact("out", "42"), false, true});
    bed.report("child", report_completed{});
    bed.caller->completes = true;
    bed.caller->heard.clear();
    bed.restart();
    CHECK(bed.caller->heard == lines{"k: completed 42"});
  }
  CHECK(bed.now() == "completed: completed completed");
}

TEST_CASE("tasks that are added to the plan are added once, and not waited for",
          "[actors][time][calls][recovery]") {
  auto second = a_task("second", {"first"}, "hand");
  auto both = a_change("k", a_task("first", {}, "hand"), false);
  both.operations.emplace_back(add_task{std::move(second)});
  both.reason = "more to do";
  calls_bed bed({std::move(both)});
  bed.caller->completes = false;
  bed.begin_family();
  CHECK(bed.caller->heard == lines{"k: +2"});
  CHECK(bed.now() == "working: working working pending");
  CHECK(bed.plan().spec->tasks[1].caller == no_caller);
  bed.restart();
  CHECK(bed.caller->heard == lines{"k: +2", "k: +2"});
  CHECK(bed.now() == "working: working working pending");
  bed.caller->port->report(report_completed{});
  bed.clock.settle();
  bed.report("first", report_completed{});
  CHECK(bed.now() == "working: completed completed working");
  bed.report("second", report_failed{"no", false}); // of the plan, like any other
  CHECK_THAT(bed.now(), StartsWith("failed"));
}

TEST_CASE("what a plan refuses is told to the agent", "[actors][time][calls]") {
  struct row {
    task_spec task;
    const char* words;
  };
  auto odd = a_task("x", {}, "noop");
  odd.input = {{"text", "${tasks.none.artifacts[0].text}"}};
  const std::vector<row> rows{{a_task("x", {}, "nobody"), "nobody"},
                              {a_task("x", {"missing"}, "noop"), "missing"},
                              {odd, "none"}};
  for (const auto& each : rows) {
    calls_bed bed({a_change("k", each.task, GENERATE(true, false))});
    bed.begin_family();
    REQUIRE(bed.caller->heard.size() == 1);
    CHECK_THAT(bed.caller->heard[0], ContainsSubstring(each.words));
    CHECK(bed.now() == "completed: completed");
  }
}

TEST_CASE("calls are bounded in depth and number, by name", "[actors][time][calls]") {
  SECTION("depth") {
    calls_bed bed({a_change("k", a_task("next", {}, "calls"))});
    bed.begin_family();
    CHECK(bed.now() == "completed: completed completed completed completed completed");
    CHECK_THAT(bed.caller->heard.front(), ContainsSubstring("call_depth_max"));
    CHECK(bed.caller->starts == call_depth_max + 1);
  }
  SECTION("number") {
    report_change many;
    many.key = "k";
    many.waits = true;
    for (std::size_t i = 0; i <= called_tasks_max; ++i)
      many.operations.emplace_back(add_task{a_task("t" + std::to_string(i))});
    calls_bed bed({std::move(many)});
    bed.begin_family();
    REQUIRE(bed.caller->heard.size() == 1);
    CHECK_THAT(bed.caller->heard[0], ContainsSubstring("called_tasks_max"));
  }
}

TEST_CASE("a plan whose tasks wait for a called one that asks is blocked",
          "[actors][time][calls]") {
  calls_bed bed;
  bed.begin_family();
  bed.report("child", report_question{"which?"});
  CHECK(bed.now() == "blocked: working input-required");
  bed.say("child", "this");
  CHECK(bed.now() == "working: working working");
}

TEST_CASE("a question of a caller stays open while it waits, and its answer gives no slot",
          "[actors][time][calls]") {
  calls_bed bed;
  auto plan = calls_bed::family();
  plan.parallel_max = 1;
  bed.begin(an_objective({std::move(plan)}));
  bed.caller->port->report(report_question{"which?"});
  bed.clock.settle();
  CHECK(bed.states() == "input-required working");
  bed.say("parent", "this");
  CHECK(bed.states() == "working working");
  CHECK(bed.caller->heard.empty());
  bed.report("child", report_completed{});
  CHECK(bed.now() == "completed: completed completed");
}

TEST_CASE("changes that an agent wants are known until it has heard of them", "[actors][calls]") {
  wanted_changes all;
  all.add("call", true);
  all.add("add", false);
  const task_id called{"o.p0.t1"};
  all.on_ended(called, task_state::completed); // before it is known who called it
  CHECK(all.are_calls_open());
  all.on_answered("add", change_report{});
  CHECK(all.take().empty()); // while it waits, it hears nothing
  change_report made;
  made.added = {called};
  all.on_answered("call", made);
  CHECK(all.unread() == std::vector{called});
  all.on_read(called, nullptr);
  CHECK(all.unread().empty());
  CHECK_FALSE(all.are_calls_open());
  const auto told = all.take();
  REQUIRE(told.size() == 2);
  CHECK(told[0].called.at(0).state == task_state::completed);
  CHECK(told[1].called.empty());
  CHECK(all.size() == 0);
  all.add("refused", true);
  all.on_answered("refused", make_error(errc::limit_exceeded, "full"));
  CHECK(all.take().at(0).report.error().message == "full");
}
