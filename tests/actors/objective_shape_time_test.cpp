// Objectives that are changed while they run: deadlines end what has not ended, priorities move
// what waits for a slot, plans are skipped and reordered; over restarts, too.
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/specs.hpp"

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::testing;

namespace {

using names = std::vector<std::string>;
using operations = std::vector<wanted_objective_operation>;
using answer = std::shared_ptr<std::optional<result<change_report>>>;

task_spec by_hand(std::string name) {
  return a_task(std::move(name), {}, "hand");
}

answer modify(clock_bed& bed, const objective_id& id, operations wanted,
              std::string request_id = {}) {
  modify_objective command;
  command.id = id;
  command.operations = std::move(wanted);
  command.request_id = std::move(request_id);
  auto out = std::make_shared<std::optional<result<change_report>>>();
  bed.main_gateway().change(std::move(command),
                            [out](result<change_report> got) { *out = std::move(got); });
  bed.clock.settle();
  return out;
}

change_report done(clock_bed& bed, const objective_id& id, operations wanted) {
  const auto got = modify(bed, id, std::move(wanted));
  REQUIRE(got->has_value());
  INFO(((**got).has_value() ? "" : (**got).error().message));
  REQUIRE((**got).has_value());
  return ***got;
}

wanted_objective_operation plan_due(const clock_bed& bed, std::string plan,
                                    std::chrono::seconds later) {
  return edit_plan_of<std::string>{std::move(plan),
                                   {{}, {}, {}, deadline_edit{bed.clock.now() + later}, {}}};
}
wanted_objective_operation due(const clock_bed& bed, std::chrono::seconds later) {
  return edit_objective{{}, deadline_edit{bed.clock.now() + later}, {}};
}
wanted_objective_operation priority(std::int32_t priority) {
  return edit_objective{{}, {}, priority};
}

/// Beside the one that the story of the bed is about.
objective_id begin_other(clock_bed& bed, objective_spec spec) {
  create_objective command;
  command.spec = std::move(spec);
  command.start = true;
  const auto made = std::make_shared<objective_id>();
  bed.main_gateway().create(std::move(command), nullptr,
                            [made](const result<objective_ptr>& got) { *made = (*got)->id; });
  bed.clock.settle();
  return *made;
}

names started(const clock_bed& bed) {
  names out;
  for (const auto& each : bed.hand->attempts)
    out.push_back(each->name);
  return out;
}

} // namespace

TEST_CASE("M27_deadline: an objective that has not ended by its deadline fails, with all of it",
          "[actors][time][modify]") {
  clock_bed bed;
  const auto id =
      bed.begin(an_objective({a_plan("p", {by_hand("a")}), a_plan("q", {by_hand("b")})}));
  CHECK(done(bed, id, {due(bed, 10s)}).revision == 1);
  SECTION("in one process") {
    bed.pass(9999ms);
    CHECK(bed.objective()->state == objective_state::working);
    bed.pass(1ms);
  }
  SECTION("over a restart") {
    bed.pass(4s);
    bed.restart();
    bed.pass(5999ms);
    CHECK(bed.objective()->state == objective_state::working);
    bed.pass(1ms);
  }
  SECTION("that passed between two processes") {
    bed.stop();
    bed.pass(11s);
    bed.restart();
    bed.pass(1ms);
  }
  CHECK(bed.objective()->state == objective_state::failed);
  CHECK_THAT(bed.objective()->reason,
             StartsWith("the objective has not ended before its deadline"));
  CHECK(bed.objective()->plans[1].state == plan_state::failed);
  CHECK(bed.states() == "canceled");
  CHECK_THAT(bed.text("a"), StartsWith("the objective has not ended before its deadline"));
}

TEST_CASE("M27_deadline: a plan that has not ended by its deadline fails, and the others go on",
          "[actors][time][modify]") {
  clock_bed bed;
  auto after = a_plan("r", {by_hand("c")});
  after.dependencies = {"q"};
  const auto id = bed.begin(
      an_objective({a_plan("p", {by_hand("a")}), a_plan("q", {by_hand("b")}), std::move(after)}));
  static_cast<void>(done(bed, id, {plan_due(bed, "p", 10s), plan_due(bed, "r", 20s)}));
  bed.pass(10s);
  CHECK(bed.objective()->plans[0].state == plan_state::failed);
  CHECK_THAT(bed.objective()->plans[0].reason,
             StartsWith("the plan has not ended before its deadline"));
  CHECK(bed.objective()->state == objective_state::working);
  bed.pass(10s);
  CHECK(bed.objective()->plans[2].state == plan_state::failed); // It had not begun.
  CHECK(bed.states(2) == "canceled");
  bed.report("b", report_completed{});
  CHECK(bed.objective()->plans[1].state == plan_state::completed);
  CHECK(bed.objective()->state == objective_state::failed);
}

TEST_CASE("M27_deadline: a plan that joins with a deadline that has passed fails, whatever passed "
          "before",
          "[actors][time][modify]") {
  clock_bed bed;
  const auto id =
      bed.begin(an_objective({a_plan("p", {by_hand("a")}), a_plan("q", {by_hand("b")})}));
  static_cast<void>(done(bed, id, {plan_due(bed, "q", 10s)}));
  bed.pass(10s);
  CHECK(bed.objective()->plans[1].state == plan_state::failed);
  auto late = a_plan("r", {by_hand("c")});
  late.deadline = bed.clock.now() - 1s;
  create_plan command;
  command.objective = id;
  command.spec = std::move(late);
  command.start = true;
  bed.main_gateway().create(std::move(command), [](const auto& got) { CHECK(got.has_value()); });
  bed.clock.settle();
  bed.pass(1ms);
  CHECK(bed.objective()->plans[2].state == plan_state::failed);
  CHECK_THAT(bed.objective()->plans[2].reason,
             StartsWith("the plan has not ended before its deadline"));
}

TEST_CASE("M27_deadline: what is created with a deadline that has passed fails at once",
          "[actors][time][modify]") {
  clock_bed bed;
  const auto late = bed.clock.now() - 1s;
  const auto whose = GENERATE(values<std::string>({"task", "plan", "objective"}));
  CAPTURE(whose);
  auto first = by_hand("a");
  if (whose == "task")
    first.deadline = late;
  auto plan = a_plan("p", {std::move(first)});
  if (whose == "plan")
    plan.deadline = late;
  auto goal = an_objective({std::move(plan)});
  if (whose == "objective")
    goal.deadline = late;
  const bool is_started = GENERATE(true, false);
  bed.begin(std::move(goal), is_started);
  bed.pass(1ms);
  if (whose == "task") {
    CHECK(bed.states() == (is_started ? "failed" : "pending"));
    return;
  }
  CHECK(bed.states() == "canceled");
  CHECK(bed.objective()->plans[0].state
        == (whose == "plan" || is_started ? plan_state::failed : plan_state::skipped));
  if (whose == "objective")
    CHECK(bed.objective()->state == objective_state::failed);
}

TEST_CASE("M27_deadline: a deadline that is taken away or moved ends nothing at its old time",
          "[actors][time][modify]") {
  clock_bed bed;
  auto spec = an_objective({a_plan("p", {by_hand("a")})});
  spec.deadline = bed.clock.now() + 10s; // A document may have one, too.
  const auto id = bed.begin(std::move(spec));
  static_cast<void>(done(bed, id, {due(bed, 20s)}));
  bed.pass(15s);
  CHECK(bed.objective()->state == objective_state::working);
  static_cast<void>(done(bed, id, {edit_objective{{}, deadline_edit{}, {}}}));
  bed.pass(10s);
  CHECK(bed.objective()->state == objective_state::working);
  bed.report("a", report_completed{});
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("M27_deadline: a plan that is changed gets its deadline by that, too",
          "[actors][time][modify]") {
  clock_bed bed;
  const auto id = bed.begin(an_objective({a_plan("p", {by_hand("a")})}));
  change_plan command;
  command.id = bed.objective()->plans[0].spec->id;
  command.operations = {edit_plan{{}, {}, {}, deadline_edit{bed.clock.now() + 5s}, {}}};
  bed.main_gateway().change(std::move(command), [](const result<change_report>&) {});
  bed.clock.settle();
  CHECK(bed.objective()->plans[0].spec->deadline == bed.clock.now() + 5s);
  bed.pass(5s);
  CHECK(bed.objective()->state == objective_state::failed);
}

TEST_CASE("M27_deadline: a task that has not ended by its deadline fails, whatever it waits for",
          "[actors][time][modify]") {
  clock_bed bed;
  const auto due = bed.clock.now() + 10s;
  auto works = by_hand("works");
  auto waits = a_task("waits", {"free"}, "hand");
  auto backs_off = by_hand("backs off");
  backs_off.retry = {.attempts_max = 3, .backoff = 1min};
  auto asks = by_hand("asks");
  works.deadline = waits.deadline = backs_off.deadline = asks.deadline = due;
  bed.begin(an_objective({going_on(
      a_plan("p", {by_hand("free"), std::move(works), std::move(waits), std::move(backs_off),
                   std::move(asks), a_task("after", {"works"}, "hand")}))}));
  bed.report("backs off", report_failed{"once", true});
  bed.report("asks", report_question{"which?"});
  SECTION("in one process") {}
  SECTION("over a restart") {
    bed.restart();
  }
  bed.pass(9999ms);
  CHECK(bed.states().find("failed") == std::string::npos);
  bed.pass(1ms);
  CHECK(bed.states() == "working failed failed failed failed canceled");
  CHECK_THAT(bed.text("works"), StartsWith("the task has not ended before its deadline"));
  CHECK(bed.objective()->pending_inputs.empty());
  bed.report("free", report_completed{});
  CHECK(bed.objective()->state == objective_state::failed);
}

TEST_CASE("M27_deadline: a question expires at the deadline of its task, plan or objective",
          "[actors][time][modify][question]") {
  const auto whose = GENERATE(values<std::string>({"task", "plan", "objective", "nobody"}));
  CAPTURE(whose);
  clock_bed bed;
  const auto due = bed.clock.now() + 10s;
  auto asks = by_hand("asks");
  if (whose == "task")
    asks.deadline = due;
  auto plan = a_plan("p", {std::move(asks)});
  if (whose == "plan")
    plan.deadline = due;
  auto goal = an_objective({std::move(plan)});
  if (whose == "objective")
    goal.deadline = due;
  bed.begin(std::move(goal));
  bed.report("asks", report_question{"which?"});
  if (whose == "nobody") // A plan that a client ends withdraws what its tasks ask.
    static_cast<void>(bed.cancel("asks"));
  bed.pass(10s);
  const auto asked = bed.task("asks");
  REQUIRE(is_terminal(asked->status.state));
  const auto* closed = find_closed(*asked, "question-1");
  REQUIRE(closed != nullptr);
  CHECK(closed->state == (whose == "nobody" ? question_state::withdrawn : question_state::expired));
  send_message late;
  late.message.message_id = "late";
  late.message.from = role::user;
  late.message.parts.push_back(text_part("this"));
  late.message.task_id = asked->id.str();
  late.question = "question-1";
  std::optional<result<sent>> answer;
  bed.main_gateway().send(std::move(late), nullptr,
                          [&](result<sent> got) { answer = std::move(got); });
  bed.clock.settle();
  REQUIRE(answer);
  REQUIRE(answer->has_error());
  CHECK(answer->error().code == (whose == "nobody" ? errc::input_withdrawn : errc::input_expired));
}

TEST_CASE("M27_deadline: a number is the seconds after the start of objective, plan or task",
          "[actors][time][modify]") {
  clock_bed bed;
  SECTION("of an objective") {
    auto goal = an_objective({a_plan("p", {by_hand("a")})});
    goal.deadline_after = 10s;
    bed.begin(std::move(goal));
    CHECK(bed.objective()->deadline == bed.clock.now() + 10s);
    CHECK(bed.hand->of("a").order->deadline == bed.clock.now() + 10s);
    if (GENERATE(false, true))
      bed.restart();
    bed.pass(9999ms);
    CHECK(bed.objective()->state == objective_state::working);
    bed.pass(1ms);
    CHECK(bed.objective()->state == objective_state::failed);
  }
  SECTION("of a plan that waits for another one") {
    auto second = a_plan("q", {by_hand("b")});
    second.dependencies = {"p"};
    second.deadline_after = 10s;
    bed.begin(an_objective({a_plan("p", {by_hand("a")}), std::move(second)}));
    bed.pass(1min);
    CHECK_FALSE(bed.objective()->plans[1].spec->deadline);
    bed.report("a", report_completed{});
    const auto due = bed.clock.now() + 10s;
    CHECK(bed.objective()->plans[1].spec->deadline == due);
    if (GENERATE(false, true))
      bed.restart();
    bed.pass(9999ms);
    CHECK(bed.objective()->plans[1].state == plan_state::working);
    bed.pass(1ms);
    CHECK(bed.objective()->plans[1].state == plan_state::failed);
    CHECK_THAT(bed.objective()->plans[1].reason, EndsWith(to_rfc3339(due)));
  }
  SECTION("of a task, over its attempts") {
    auto task = a_task("b", {"a"}, "hand");
    task.deadline_after = 10s;
    task.retry = {.attempts_max = 5, .backoff = 1s};
    bed.begin(an_objective({a_plan("p", {by_hand("a"), std::move(task)})}));
    bed.pass(1min);
    bed.report("a", report_completed{});
    const auto due = bed.clock.now() + 10s;
    CHECK(bed.hand->of("b").order->deadline == due);
    CHECK(bed.objective()->plans[0].spec->tasks[1].deadline == due);
    if (GENERATE(false, true))
      bed.restart();
    bed.report("b", report_failed{"once", true});
    bed.pass(5s);
    CHECK(bed.hand->of("b").order->deadline == due);
    bed.pass(4999ms);
    CHECK(bed.states() == "completed working");
    bed.pass(1ms);
    CHECK(bed.states() == "completed failed");
    CHECK_THAT(bed.text("b"), EndsWith(to_rfc3339(due)));
  }
}

TEST_CASE("M27_deadline: a deadline that is set takes the place of seconds after the start",
          "[actors][time][modify]") {
  clock_bed bed;
  auto goal = an_objective({a_plan("p", {by_hand("a")})});
  goal.deadline_after = 10s;
  const auto id = bed.begin(std::move(goal));
  static_cast<void>(done(bed, id, {due(bed, 20s)}));
  bed.pass(15s);
  CHECK(bed.objective()->state == objective_state::working);
  bed.pass(5s);
  CHECK(bed.objective()->state == objective_state::failed);
}

TEST_CASE("Q2_change: setObjective sets maxParallel while the objective runs",
          "[actors][time][modify][slots]") {
  clock_bed bed;
  auto goal = an_objective({a_plan("p", {by_hand("a"), by_hand("b"), by_hand("c"), by_hand("d")})});
  goal.parallel_max = 1;
  const auto id = bed.begin(std::move(goal));
  const auto most = [](std::uint32_t slots) {
    edit_objective out;
    out.parallel_max = slots;
    return wanted_objective_operation{out};
  };
  CHECK(started(bed) == names{"a"});
  static_cast<void>(done(bed, id, {most(3)}));
  CHECK(started(bed) == names{"a", "b", "c"});
  static_cast<void>(done(bed, id, {most(1)}));
  bed.report("a", report_completed{}); // A lower one stops nobody.
  bed.report("b", report_completed{});
  CHECK(started(bed) == names{"a", "b", "c"});
  if (GENERATE(false, true))
    bed.restart();
  CHECK(bed.objective()->parallel_max == 1);
  bed.report("c", report_completed{});
  CHECK(started(bed).back() == "d");
  bed.report("d", report_completed{});
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("Q2_change: setPlan sets maxParallel while the plan runs, also over a restart",
          "[actors][time][modify][slots]") {
  clock_bed bed;
  auto plan = a_plan("p", {by_hand("a"), by_hand("b"), by_hand("c"), by_hand("d"), by_hand("e")});
  plan.parallel_max = GENERATE(0U, 1U);
  const auto id = bed.begin(an_objective({plan}));
  const auto most = [](std::uint32_t tasks) {
    edit_plan out;
    out.parallel_max = tasks;
    return wanted_objective_operation{edit_plan_of<std::string>{"p", out}};
  };
  CHECK(bed.hand->running() == (plan.parallel_max == 0 ? 5 : 1));
  static_cast<void>(done(bed, id, {most(2)}));
  CHECK(bed.hand->running() == (plan.parallel_max == 0 ? 5 : 2)); // A lower one stops nobody.
  bed.restart();
  CHECK(bed.hand->running() == 2);
  static_cast<void>(done(bed, id, {most(1)}));
  bed.restart();
  CHECK(bed.hand->running() == 1);
  CHECK(bed.objective()->plans[0].spec->parallel_max == 1);
  bed.report("a", report_completed{});
  CHECK(started(bed).back() == "b");
  CHECK(bed.hand->running() == 1);
  static_cast<void>(done(bed, id, {most(0)}));
  CHECK(bed.hand->running() == 4);
  for (const auto* task : {"b", "c", "d", "e"})
    bed.report(task, report_completed{});
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("Q2_change: an objective without maxParallel gets one only while none of its plans runs",
          "[actors][time][modify][slots]") {
  clock_bed bed;
  edit_objective one;
  one.parallel_max = 1;
  const auto id = bed.begin(an_objective({a_plan("p", {by_hand("a"), by_hand("b")})}));
  const auto refused = modify(bed, id, {one});
  REQUIRE((*refused)->has_error());
  CHECK((*refused)->error().code == errc::already_started);
  CHECK_THAT((*refused)->error().message, ContainsSubstring("none of its plans"));
}

TEST_CASE("M27_deadline: the deadline of a task that is changed or added holds, its old one not",
          "[actors][time][modify]") {
  clock_bed bed;
  auto first = a_task("b", {"a"}, "hand");
  first.deadline = bed.clock.now() + 5s;
  bed.begin(an_objective({going_on(a_plan("p", {by_hand("a"), std::move(first)}))}));
  change_plan command;
  command.id = bed.objective()->plans[0].spec->id;
  auto added = a_task("c", {"a"}, "hand");
  added.deadline = bed.clock.now() + 20s;
  command.operations = {set_deadline<std::string>{"b", bed.clock.now() + 10s}, add_task{added}};
  bed.main_gateway().change(std::move(command), [](const result<change_report>&) {});
  bed.clock.settle();
  bed.pass(9s);
  CHECK(bed.states() == "working pending pending");
  bed.pass(1s);
  CHECK(bed.states() == "working failed pending");
  bed.pass(10s);
  CHECK(bed.states() == "working failed failed");
}

TEST_CASE("M27_priority: the tasks of an objective of greater priority get the free slots first",
          "[actors][time][modify]") {
  clock_bed bed;
  bed.hand->limit = 1;
  bed.begin(an_objective({a_plan("p", {by_hand("a"), by_hand("b"), by_hand("c")})}));
  const auto high = begin_other(bed, an_objective({a_plan("p", {by_hand("x"), by_hand("y")})}));
  CHECK(started(bed) == names{"a"});
  static_cast<void>(done(bed, high, {priority(10)}));
  for (const auto* task : {"a", "x", "y", "b"})
    bed.report(task, report_completed{});
  CHECK(started(bed) == names{"a", "x", "y", "b", "c"});
}

TEST_CASE("M27_priority: a minute without a slot counts as one step, so that nobody starves",
          "[actors][time][modify]") {
  clock_bed bed;
  bed.hand->limit = 1;
  bed.begin(an_objective({a_plan("p", {by_hand("a"), by_hand("b")})}));
  const auto high =
      begin_other(bed, an_objective({a_plan("p", {by_hand("x"), by_hand("y"), by_hand("z")})}));
  static_cast<void>(done(bed, high, {priority(2)}));
  bed.report("a", report_completed{}); // "x" gets the slot.
  bed.pass(3min);
  bed.report("x", report_completed{});
  bed.report("y", report_completed{});
  CHECK(started(bed) == names{"a", "x", "y", "b"});
}

TEST_CASE("M27_priority: an objective keeps its priority over a restart",
          "[actors][time][modify]") {
  clock_bed bed;
  const auto id = bed.begin(an_objective({a_plan("p", {by_hand("a")})}));
  static_cast<void>(done(bed, id, {priority(7)}));
  bed.restart();
  CHECK(bed.objective()->priority == 7);
  CHECK(bed.objective()->revision == 1);
}

TEST_CASE("M27_priority: the priority of a plan is added to that of its tasks",
          "[actors][time][modify]") {
  clock_bed bed;
  bed.hand->limit = 1;
  auto urgent = a_plan("q", {by_hand("x")});
  urgent.priority = 5;
  bed.begin(an_objective({a_plan("p", {by_hand("a"), by_hand("b")}), std::move(urgent)}));
  for (const auto* task : {"a", "x"})
    if (started(bed).back() == task)
      bed.report(task, report_completed{});
  CHECK(started(bed).back() != "a");
  const auto order = started(bed);
  CHECK(std::ranges::find(order, "x") < std::ranges::find(order, "b"));
}

TEST_CASE("M_cells: a plan that works is skipped, and the answer comes once it has ended",
          "[actors][time][modify]") {
  clock_bed bed;
  const auto id =
      bed.begin(an_objective({a_plan("p", {by_hand("a")}), a_plan("q", {by_hand("b")})}));
  SECTION("in one process") {
    const auto report = done(bed, id, {skip_plan<std::string>{"p", true}});
    CHECK(report.plans_canceled.size() == 1);
    CHECK(bed.hand->canceled == names{"a"});
  }
  SECTION("over a restart") { // The change is durable, and so is what follows from it.
    modify_objective command;
    command.id = id;
    command.operations = {skip_plan<std::string>{"p", true}};
    bed.main_gateway().change(std::move(command), [](const result<change_report>&) {});
    while (bed.objective()->revision == 0)
      REQUIRE(bed.clock.step());
    REQUIRE(bed.objective()->plans[0].state == plan_state::working);
    bed.restart();
  }
  CHECK(bed.objective()->plans[0].state == plan_state::skipped);
  CHECK(bed.objective()->plans[0].skip_requested);
  CHECK(bed.states() == "canceled");
  bed.report("b", report_completed{});
  CHECK(is_settled(bed.objective()->state));
}

TEST_CASE("M_cells: a plan that waits for another one need not wait any more",
          "[actors][time][modify]") {
  clock_bed bed;
  auto after = a_plan("q", {by_hand("b")});
  after.dependencies = {"p"};
  const auto id = bed.begin(an_objective({a_plan("p", {by_hand("a")}), std::move(after)}));
  const auto cycle = modify(bed, id, {set_plan_dependencies<std::string>{"q", {"q"}}});
  REQUIRE(cycle->has_value());
  CHECK((**cycle).error().code == errc::dependency_cycle);
  CHECK(started(bed) == names{"a"});
  const auto report = done(bed, id, {set_plan_dependencies<std::string>{"q", {}}});
  CHECK(report.plans_released.size() == 1);
  CHECK(started(bed) == names{"a", "b"});
  bed.restart();
  bed.report("b", report_completed{});
  CHECK(bed.objective()->plans[1].state == plan_state::completed);
}

TEST_CASE("M_cells: a running plan follows its new limits", "[actors][time][modify]") {
  clock_bed bed;
  auto plan = a_plan("p", {by_hand("a"), by_hand("b")});
  plan.parallel_max = 1;
  const auto id = bed.begin(an_objective({std::move(plan)}));
  CHECK(started(bed) == names{"a"});
  static_cast<void>(
      done(bed, id, {edit_plan_of<std::string>{"p", {{.name = "P"}, 2, {}, {}, {}}}}));
  CHECK(started(bed) == names{"a", "b"});
  CHECK(bed.objective()->plans[0].spec->name == "P");
}

TEST_CASE("M26_request_id: a change of an objective that comes again is answered as the first",
          "[actors][time][modify]") {
  clock_bed bed;
  const auto id = bed.begin(an_objective({a_plan("p", {by_hand("a")})}));
  const auto first = modify(bed, id, {priority(1)}, "r");
  const auto again = modify(bed, id, {priority(1)}, "r");
  REQUIRE(again->has_value());
  REQUIRE((**again).has_value());
  CHECK(***again == ***first);
  CHECK(bed.objective()->revision == 1);
  bed.restart();
  CHECK(***modify(bed, id, {priority(1)}, "r") == ***first);
  const auto other = modify(bed, id, {priority(2)}, "r");
  REQUIRE(other->has_value());
  CHECK((**other).error().code == errc::duplicate_request);
}
