// Operations that end tasks of a running plan, or bring them back: agents are told, what depends on
// them goes on, and a restart changes nothing.
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/specs.hpp"

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::testing;

namespace {

using names = std::vector<std::string>;
using answer = std::shared_ptr<std::optional<result<change_report>>>;
using skip = skip_task<std::string>;
using complete = complete_task<std::string>;
using retry = retry_task<std::string>;

task_spec keyed(std::string key, names after = {}) {
  auto out = a_task(key, std::move(after), "hand");
  out.key = std::move(key);
  return out;
}

answer ask(clock_bed& bed, std::vector<wanted_operation> operations) {
  change_plan command;
  command.id = bed.objective()->plans.front().spec->id;
  command.operations = std::move(operations);
  auto out = std::make_shared<std::optional<result<change_report>>>();
  bed.main_gateway().change(std::move(command),
                            [out](result<change_report> got) { *out = std::move(got); });
  bed.clock.settle();
  return out;
}

change_report modify(clock_bed& bed, std::vector<wanted_operation> operations) {
  const auto got = ask(bed, std::move(operations));
  REQUIRE(got->has_value());
  INFO(((**got).has_value() ? "" : (**got).error().message));
  REQUIRE((**got).has_value());
  return ***got;
}

error refused(clock_bed& bed, std::vector<wanted_operation> operations) {
  const auto got = ask(bed, std::move(operations));
  REQUIRE(got->has_value());
  REQUIRE_FALSE((**got).has_value());
  return (**got).error();
}

names started(const clock_bed& bed) {
  names out;
  for (const auto& each : bed.hand->attempts)
    out.push_back(each->name);
  return out;
}

artifact_ptr text_artifact(std::string text) {
  auto out = std::make_shared<artifact>();
  out->artifact_id = "made";
  out->parts.push_back(text_part(std::move(text)));
  return out;
}

/// b after a, c after b; d alone.
plan_spec a_row() {
  auto plan = a_plan("p", {keyed("a"), keyed("b", {"a"}), keyed("c", {"b"}), keyed("d")});
  plan.failure = on_failure::keep_going;
  return plan;
}

void end_all(clock_bed& bed, const names& tasks) {
  for (const auto& each : tasks)
    bed.report(each, report_completed{});
}

} // namespace

TEST_CASE("M_skipTask_N: what depends on a skipped task goes on without waiting for what that "
          "depended on",
          "[actors][time][modify]") {
  clock_bed bed;
  bed.begin(an_objective({a_row()}));
  const auto done = modify(bed, {skip{"b"}});
  CHECK(done.skipped == std::vector<task_id>{bed.objective()->plans[0].task_at(1)});
  CHECK(started(bed) == names{"a", "d", "c"});
  CHECK(bed.states() == "working skipped working working");
  if (GENERATE(false, true)) {
    bed.restart();
    CHECK(bed.states() == "working skipped working working");
  }
  end_all(bed, {"a", "d", "c"});
  CHECK(bed.objective()->state == objective_state::completed);
  CHECK(bed.states() == "completed skipped completed completed");
}

TEST_CASE("M_skipTask_W: the agent of a task that works is told to stop, and then the task is "
          "skipped",
          "[actors][time][modify]") {
  clock_bed bed;
  bed.begin(an_objective({a_row()}));
  CHECK(refused(bed, {skip{"a"}}).code == errc::already_started);
  CHECK(bed.hand->canceled.empty());
  const auto done = modify(bed, {skip{"a", true}});
  CHECK(done.canceled.size() == 1);
  CHECK(bed.hand->canceled == names{"a"});
  CHECK(started(bed) == names{"a", "d", "b"});
  CHECK(bed.states() == "skipped working pending working");
  CHECK(bed.task("a")->status.state == task_state::canceled);
  CHECK(bed.text("a") == "skipped by request");
  end_all(bed, {"b", "c", "d"});
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("M_skipTask_Q: the question of a skipped task is withdrawn", "[actors][time][modify]") {
  clock_bed bed;
  bed.begin(an_objective({a_row()}));
  bed.report("a", report_question{.prompt = "Where?"});
  REQUIRE(bed.objective()->pending_inputs.size() == 1);
  SECTION("skipped") {
    modify(bed, {skip{"a"}});
    CHECK(bed.states() == "skipped working pending working");
  }
  SECTION("completed") {
    modify(bed, {complete{"a", false, {text_artifact("Oslo")}}});
    CHECK(bed.states() == "completed working pending working");
    REQUIRE(bed.task("a")->artifacts.size() == 1);
  }
  CHECK(bed.objective()->pending_inputs.empty());
  CHECK(bed.hand->canceled == names{"a"});
  CHECK(started(bed) == names{"a", "d", "b"});
}

TEST_CASE("M_rules: a paused plan takes changes and starts nothing", "[actors][time][modify]") {
  clock_bed bed;
  const auto id = bed.begin(an_objective({a_row()}));
  const auto pause = [&](plan_state to) {
    update_plan command;
    command.id = bed.objective()->plans.front().spec->id;
    command.state = to;
    bed.main_gateway().update(std::move(command), [](const result<plan_id>&) {});
    bed.clock.settle();
  };
  pause(plan_state::blocked);
  REQUIRE(bed.objective()->plans.front().paused);
  const auto changed = modify(bed, {add_task{keyed("e"), {}}, skip{"b"}});
  CHECK(changed.added.size() == 1);
  CHECK(changed.skipped.size() == 1);
  CHECK(started(bed) == names{"a", "d"});
  CHECK(bed.states() == "working skipped pending working pending");
  pause(plan_state::working);
  CHECK(started(bed) == names{"a", "d", "c", "e"});
}

TEST_CASE("M_skipTask_B: a task that waits for its next attempt is skipped, or tried at once",
          "[actors][time][modify]") {
  clock_bed bed;
  auto plan = a_row();
  plan.tasks.edit(0).retry = {.attempts_max = 3, .backoff = 60s};
  plan.parallel_max = GENERATE(0U, 5U);
  bed.begin(an_objective({plan}));
  bed.report("a", report_failed{"no route", true});
  REQUIRE(bed.hand->running() == 1); // d
  SECTION("skipped") {
    modify(bed, {skip{"a"}});
    CHECK(started(bed) == names{"a", "d", "b"});
    CHECK(bed.states() == "skipped working pending working");
    bed.pass(2min);
    CHECK(started(bed).size() == 3);
  }
  SECTION("tried at once") {
    const auto done = modify(bed, {retry{"a"}});
    CHECK(done.retried == std::vector<task_id>{bed.objective()->plans[0].task_at(0)});
    CHECK(started(bed) == names{"a", "d", "a"});
    CHECK(bed.hand->of("a").number == 2);
    bed.pass(2min); // the timer of the wait that was cut short
    CHECK(started(bed).size() == 3);
    CHECK(refused(bed, {retry{"a"}}).code == errc::nothing_to_retry);
  }
}

TEST_CASE("M_completeTask_N: somebody else has done a task, and others read what was made",
          "[actors][time][modify]") {
  clock_bed bed;
  const bool starts = GENERATE(true, false);
  auto plan = a_row();
  plan.tasks.edit(2).input = {{"text", "${tasks.b.artifacts[0].text}"}};
  bed.begin(an_objective({plan}), starts);
  const auto done = modify(bed, {complete{"b", false, {text_artifact("by hand")}}});
  CHECK(done.completed.size() == 1);
  if (!starts) {
    CHECK(done.released.empty());
    bed.move(objective_state::working);
  }
  if (GENERATE(false, true))
    bed.restart();
  CHECK(started(bed).size() >= 3);
  const auto read = bed.task("b");
  REQUIRE(read);
  CHECK(read->status.state == task_state::completed);
  REQUIRE(read->artifacts.size() == 1);
  CHECK(bed.hand->of("c").order->dependencies.size() == 1);
  end_all(bed, {"a", "c", "d"});
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("M_retryTask_F: a failed task is done again while others go on, and what was canceled "
          "because of it comes back",
          "[actors][time][modify]") {
  clock_bed bed;
  bed.begin(an_objective({a_row()}));
  bed.report("a", report_failed{"no route", false});
  CHECK(bed.states() == "failed canceled canceled working");
  const auto done =
      modify(bed, {retry{"a", task_patch{.input = boost::json::object{{"text", "x"}}}}});
  CHECK(done.retried.size() == 3);
  CHECK(bed.states() == "working pending pending working");
  CHECK(bed.hand->of("a").order->id.str().ends_with(".r1"));
  if (GENERATE(false, true)) {
    bed.restart();
    CHECK(bed.states() == "working pending pending working");
  }
  end_all(bed, {"a", "b", "c", "d"});
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE(
    "M_skipTask_F: a failed task is skipped or completed, and what was canceled because of it "
    "goes on",
    "[actors][time][modify]") {
  clock_bed bed;
  bed.begin(an_objective({a_row()}));
  bed.report("a", report_failed{"no route", false});
  SECTION("skipped") {
    modify(bed, {skip{"a"}});
    CHECK(bed.states() == "skipped working pending working");
  }
  SECTION("completed by a stand-in") {
    modify(bed, {complete{"a"}});
    CHECK(bed.states() == "completed working pending working");
  }
  if (GENERATE(false, true))
    bed.restart();
  end_all(bed, {"b", "c", "d"});
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("a change that is only tried on a settled objective leaves no actor behind",
          "[actors][time][modify]") {
  clock_bed bed;
  bed.begin(an_objective({a_plan("p", {keyed("a")})}));
  bed.report("a", report_failed{"no route", false});
  bed.clock.settle();
  REQUIRE(bed.objective()->state == objective_state::failed);
  const auto& memory = *bed.main_gateway().memory();
  REQUIRE(memory.held(memory_account::live_work) == 0);
  change_plan command;
  command.id = bed.objective()->plans.front().spec->id;
  command.operations = {retry{"a"}};
  command.dry_run = true;
  std::optional<result<change_report>> got;
  bed.main_gateway().change(std::move(command),
                            [&](result<change_report> report) { got = std::move(report); });
  bed.clock.settle();
  REQUIRE(got);
  REQUIRE(got->has_value());
  CHECK((**got).dry_run);
  CHECK(memory.held(memory_account::live_work) == 0);
}

TEST_CASE("M_retryTask_S: a skipped task is done again, and who has not begun waits for it again",
          "[actors][time][modify]") {
  clock_bed bed;
  auto plan = a_plan("p", {keyed("a"), keyed("b", {"a"}), keyed("c", {"b", "d"}), keyed("d")});
  bed.begin(an_objective({plan}));
  modify(bed, {skip{"b"}});
  modify(bed, {retry{"b"}});
  CHECK(bed.states() == "working pending pending working");
  bed.report("d", report_completed{});
  CHECK(started(bed) == names{"a", "d"});
  end_all(bed, {"a", "b", "c"});
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("M_rules: a plan that has failed works again once each failed task is dealt with",
          "[actors][time][modify]") {
  clock_bed bed;
  auto plan = a_row();
  plan.failure = GENERATE(on_failure::keep_going, on_failure::fail_fast);
  bed.begin(an_objective({plan}));
  bed.report("d", report_completed{});
  bed.report("a", report_failed{"no route", false});
  REQUIRE(bed.objective()->state == objective_state::failed);
  CHECK(refused(bed, {add_task{keyed("new")}}).code == errc::plan_failed);
  if (GENERATE(false, true))
    bed.restart();
  modify(bed, {retry{"a"}});
  CHECK(bed.objective()->state == objective_state::working);
  CHECK(bed.states() == "working pending pending completed");
  CHECK(bed.objective()->revision == 1);
  end_all(bed, {"a", "b", "c"});
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("M_removeTask_N: a task that waits for a slot leaves its queue",
          "[actors][time][modify]") {
  clock_bed bed;
  bed.hand->limit = 1;
  bed.begin(an_objective({a_row()}));
  REQUIRE(started(bed) == names{"a"}); // d waits for the slot of the agent
  modify(bed, {remove_task<std::string>{"d"}});
  bed.report("a", report_completed{});
  CHECK(started(bed) == names{"a", "b"});
  end_all(bed, {"b", "c"});
  CHECK(started(bed).size() == 3);
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("a change that ends tasks is answered once they have ended", "[actors][time][modify]") {
  clock_bed bed;
  bed.begin(an_objective({a_row()}));
  modify(bed, {skip{"a", true}, complete{"d", true}, skip{"c"}});
  CHECK(bed.states() == "skipped working skipped completed");
  CHECK(bed.objective()->revision == 1);
}

TEST_CASE("a running plan takes another name and another maxParallel", "[actors][time][modify]") {
  clock_bed bed;
  auto plan = a_plan("p", {keyed("a"), keyed("b"), keyed("c")});
  plan.parallel_max = 1;
  bed.begin(an_objective({plan}));
  CHECK(started(bed) == names{"a"});
  edit_plan edit;
  edit.edited.name = "new";
  edit.parallel_max = 2;
  modify(bed, {edit});
  CHECK(bed.objective()->plans[0].spec->name == "new");
  CHECK(started(bed) == names{"a", "b"});
  edit.parallel_max = 1; // stops nobody
  modify(bed, {edit});
  CHECK(bed.hand->running() == 2);
  bed.report("a", report_completed{});
  CHECK(started(bed) == names{"a", "b"});
  bed.report("b", report_completed{});
  CHECK(started(bed) == names{"a", "b", "c"});
}
