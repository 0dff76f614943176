// Plans whose shape is changed while they run, and before: what is set free begins, what is taken
// out never does, what is refused changes nothing.
#include "actors/plan/live_bytes.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/specs.hpp"

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::testing;

namespace {

using names = std::vector<std::string>;
using answer = std::shared_ptr<std::optional<result<change_report>>>;

task_spec keyed(std::string key, names after = {}) {
  auto out = a_task(key, std::move(after), "hand");
  out.key = std::move(key);
  return out;
}

change_plan operations_on(const clock_bed& bed, std::vector<wanted_operation> operations,
                          std::size_t plan = 0) {
  change_plan out;
  out.id = bed.objective()->plans[plan].spec->id;
  out.operations = std::move(operations);
  return out;
}

/// Nothing before the answer has come.
answer ask(clock_bed& bed, change_plan command) {
  auto out = std::make_shared<std::optional<result<change_report>>>();
  bed.main_gateway().change(std::move(command),
                            [out](result<change_report> got) { *out = std::move(got); });
  return out;
}

void reshape(clock_bed& bed, std::vector<wanted_operation> operations, std::size_t plan = 0) {
  const auto got = ask(bed, operations_on(bed, std::move(operations), plan));
  bed.clock.settle();
  REQUIRE(got->has_value());
  INFO(((**got).has_value() ? "" : (**got).error().message));
  REQUIRE((**got).has_value());
}

error refused(clock_bed& bed, std::vector<wanted_operation> operations, std::size_t plan = 0) {
  const auto got = ask(bed, operations_on(bed, std::move(operations), plan));
  bed.clock.settle();
  REQUIRE(got->has_value());
  REQUIRE_FALSE((**got).has_value());
  return (**got).error();
}

wanted_operation removal(std::string task) {
  return remove_task<std::string>{std::move(task)};
}
wanted_operation edge(std::string task, std::string on) {
  return add_dependency<std::string>{std::move(task), std::move(on)};
}
wanted_operation no_edge(std::string task, std::string on) {
  return remove_dependency<std::string>{std::move(task), std::move(on)};
}

names started(const clock_bed& bed) {
  names out;
  for (const auto& each : bed.hand->attempts)
    out.push_back(each->name);
  return out;
}

/// A plan of three tasks in a row.
objective_spec a_row() {
  return an_objective({a_plan("p", {keyed("a"), keyed("b", {"a"}), keyed("c", {"b"})})});
}

} // namespace

TEST_CASE(
    "a task that is added to a running plan begins if it is free, else after what it depends on",
    "[actors][time][shape]") {
  clock_bed bed{{}, static_cast<std::uint64_t>(GENERATE(range(1, 20)))};
  bed.begin(a_row());
  reshape(bed,
          {add_task{keyed("free")}, add_task{keyed("later", {"free", "a"})}, edge("c", "later")});
  CHECK(started(bed) == names{"a", "free"});
  CHECK(bed.objective()->revision == 1);
  bed.report("free", report_completed{});
  CHECK(started(bed) == names{"a", "free"});
  bed.report("a", report_completed{});
  CHECK(started(bed).size() == 4); // b and later
  bed.report("b", report_completed{});
  CHECK(started(bed).size() == 4);
  bed.report("later", report_completed{});
  CHECK(started(bed).back() == "c");
  bed.report("c", report_completed{});
  CHECK(bed.objective()->state == objective_state::completed);
  CHECK(bed.states() == "completed completed completed completed completed");
}

TEST_CASE("a task that is removed never begins, and what waited for it goes on",
          "[actors][time][shape]") {
  clock_bed bed{{}, static_cast<std::uint64_t>(GENERATE(range(1, 20)))};
  bed.begin(a_row());
  reshape(bed, {removal("b")});
  CHECK(started(bed) == names{"a", "c"});
  CHECK(bed.states() == "working canceled working");
  bed.report("a", report_completed{});
  bed.report("c", report_completed{});
  CHECK(started(bed) == names{"a", "c"});
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("a task that waits for its turn waits for a dependency that is added, and begins when it "
          "is taken away",
          "[actors][time][shape]") {
  clock_bed bed;
  auto plan = a_plan("p", {keyed("a"), keyed("b"), keyed("c")});
  plan.parallel_max = 1;
  bed.begin(an_objective({plan}));
  reshape(bed, {edge("b", "c")});
  bed.report("a", report_completed{});
  CHECK(started(bed) == names{"a", "c"});
  reshape(bed, {add_task{keyed("d")}, edge("b", "d")});
  reshape(bed, {no_edge("b", "c"), no_edge("b", "d")});
  bed.report("c", report_completed{});
  bed.report("d", report_completed{});
  CHECK(started(bed) == names{"a", "c", "d", "b"});
}

TEST_CASE("a task that is held back and let go in one change begins once",
          "[actors][time][shape]") {
  clock_bed bed;
  auto plan = a_plan("p", {keyed("a"), keyed("b"), keyed("c")});
  plan.parallel_max = 1;
  bed.begin(an_objective({plan}));
  reshape(bed, {edge("b", "c"), no_edge("b", "c")});
  for (const auto* each : {"a", "b", "c"})
    bed.report(each, report_completed{});
  CHECK(started(bed).size() == 3);
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("of two skipped tasks that are tried again, one waits for the other, in any order",
          "[actors][time][shape]") {
  clock_bed bed;
  bed.begin(an_objective({a_plan("p", {keyed("a"), keyed("b", {"a"}), keyed("c")})}));
  reshape(bed, {skip_task<std::string>{"a", true}, skip_task<std::string>{"b", true}});
  const auto again = [](std::string task) {
    return retry_task<std::string>{.task = std::move(task), .with = {}, .dependents = false};
  };
  SECTION("the first one first") {
    reshape(bed, {again("a"), again("b")});
  }
  SECTION("the other one first") {
    reshape(bed, {again("b"), again("a")});
  }
  CHECK(started(bed) == names{"a", "c", "a"});
  bed.report("a", report_completed{});
  CHECK(started(bed) == names{"a", "c", "a", "b"});
}

TEST_CASE("what a task has asked is open in a process in which its agent begins nothing",
          "[actors][time][shape][recovery]") {
  clock_bed bed;
  bed.begin(an_objective({a_plan("p", {keyed("a"), keyed("b", {"a"})})}));
  bed.report("a", report_question{"Which city?"});
  bed.hand->is_closed = true;
  bed.restart();
  CHECK(bed.objective()->plans[0].state == plan_state::blocked);
  reshape(bed, {skip_task<std::string>{"a"}}); // One that works is only skipped if that is said.
  CHECK(started(bed) == names{"a"});
  bed.hand->is_closed = false;
  bed.restart();
  CHECK(started(bed) == names{"a", "b"});
  bed.report("b", report_completed{});
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("a task is added under no id that another plan's task has or may be given",
          "[actors][time][shape]") {
  clock_bed bed;
  bed.begin(an_objective({a_plan("p", {keyed("a")}), a_plan("q", {keyed("b")})}));
  const auto taken = refused(bed, {add_task{keyed("c")}, add_task{keyed("b")}});
  CHECK(taken.code == errc::duplicate_id);
  CHECK(taken.field == "/operations/1/task/id");
  CHECK(refused(bed, {add_task{keyed("mine.p0.t9")}}).code == errc::invalid_params);
  reshape(bed, {add_task{keyed("c")}});
}

TEST_CASE("of waiting tasks the one with the greatest priority begins first",
          "[actors][time][shape]") {
  clock_bed bed;
  auto plan = a_plan("p", {keyed("a"), keyed("b"), keyed("c"), keyed("d")});
  plan.parallel_max = 1;
  bed.begin(an_objective({plan}));
  auto urgent = keyed("urgent");
  urgent.priority = 9;
  reshape(bed, {set_priority<std::string>{"d", 5}, set_priority<std::string>{"b", -1},
                add_task{urgent}});
  for (const auto* each : {"a", "urgent", "d", "c", "b"}) {
    CHECK(started(bed).back() == each);
    bed.report(each, report_completed{});
  }
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("a task that has not begun is replaced, and runs as it is then",
          "[actors][time][shape]") {
  clock_bed bed;
  bed.begin(a_row(), GENERATE(true, false));
  auto next = keyed("b", {"c"});
  next.name = "another";
  auto last = keyed("c");
  last.name = "c";
  reshape(bed, {put_task<std::string>{"c", last}, put_task<std::string>{"b", next}});
  if (bed.objective()->state == objective_state::submitted)
    bed.move(objective_state::working);
  CHECK(started(bed) == names{"a", "c"});
  bed.report("c", report_completed{});
  CHECK(started(bed) == names{"a", "c", "another"});
  CHECK(refused(bed, {put_task<std::string>{"a", keyed("a")}}).code == errc::already_started);
  bed.report("another", report_completed{});
  bed.report("a", report_completed{});
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("a task that waits in line and is replaced has its new place", "[actors][time][shape]") {
  clock_bed bed;
  auto plan = a_plan("p", {keyed("a"), keyed("b"), keyed("c")});
  plan.parallel_max = 1;
  bed.begin(an_objective({plan}));
  auto urgent = keyed("c");
  urgent.priority = 9;
  reshape(bed, {put_task<std::string>{"c", urgent}});
  bed.report("a", report_completed{});
  CHECK(started(bed) == names{"a", "c"});
}

TEST_CASE("the references of a task that is replaced must find what they name",
          "[actors][time][shape]") {
  clock_bed bed;
  bed.begin(a_row());
  auto next = keyed("c", {"b"});
  next.input = {{"text", "${tasks.a.artifacts[0].text}"}};
  const auto why = refused(bed, {put_task<std::string>{"c", next}});
  CHECK(why.code == errc::invalid_reference);
  CHECK(why.field.starts_with("/operations/0/task/input"));
  next.dependencies = {"a"};
  reshape(bed, {put_task<std::string>{"c", next}});
}

TEST_CASE("an order carries the deadline that was set for its task", "[actors][time][shape]") {
  clock_bed bed;
  bed.begin(a_row());
  const auto by = bed.objective()->created + 90s;
  reshape(bed, {set_deadline<std::string>{"b", by}, rename_task<std::string>{"b", "second"}});
  bed.report("a", report_completed{});
  CHECK(bed.hand->of("second").order->deadline == by);
  CHECK_FALSE(bed.hand->of("a").order->deadline);
}

TEST_CASE("tasks that have begun are fixed, and a refused change of a plan changes nothing",
          "[actors][time][shape]") {
  clock_bed bed{{}, static_cast<std::uint64_t>(GENERATE(range(1, 20)))};
  bed.begin(a_row());
  const auto fixed = refused(bed, {add_task{keyed("new")}, removal("a")});
  CHECK(fixed.code == errc::already_started);
  CHECK(fixed.field == "/operations/1/task");
  CHECK(refused(bed, {add_task{keyed("new")}, edge("b", "c")}).code == errc::dependency_cycle);
  auto nobody = keyed("new");
  nobody.agent = "nobody";
  const auto unknown = refused(bed, {removal("c"), add_task{nobody}});
  CHECK(unknown.code == errc::agent_not_found);
  CHECK(unknown.field == "/operations/1/task/agent");
  CHECK(started(bed) == names{"a"});
  CHECK(bed.objective()->revision == 0);
  CHECK(bed.objective()->plans[0].tasks.size() == 3);
}

TEST_CASE(
    "of two changes that name the same revision the second is refused, however close they come",
    "[actors][time][shape]") {
  clock_bed bed{{}, static_cast<std::uint64_t>(GENERATE(range(1, 60)))};
  bed.begin(a_row());
  auto first = operations_on(bed, {add_task{keyed("x")}});
  auto second = operations_on(bed, {add_task{keyed("y")}});
  first.if_revision = second.if_revision = 0;
  update_objective third;
  third.id = bed.objective()->id;
  third.edited.name = "another";
  third.if_revision = 0;
  const auto one = ask(bed, first);
  const auto two = ask(bed, second);
  std::optional<bool> edited;
  bed.main_gateway().update(third,
                            [&](const result<objective_ptr>& how) { edited = how.has_value(); });
  bed.clock.settle();
  REQUIRE(one->has_value());
  REQUIRE(two->has_value());
  REQUIRE(edited);
  CHECK(((**one).has_value() ? 1 : 0) + ((**two).has_value() ? 1 : 0) + (*edited ? 1 : 0) == 1);
  CHECK(bed.objective()->revision == 1);
}

TEST_CASE("a plan that has not begun runs as it was changed", "[actors][time][shape]") {
  clock_bed bed;
  auto second = a_plan("q", {keyed("x"), keyed("y", {"x"})});
  second.dependencies = {"p"};
  bed.begin(an_objective({a_plan("p", {keyed("a")}), second}));
  reshape(bed, {removal("x"), add_task{keyed("z", {"y"})}}, 1);
  bed.report("a", report_completed{});
  CHECK(started(bed) == names{"a", "y"});
  bed.report("y", report_completed{});
  bed.report("z", report_completed{});
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("a change of a plan survives a restart", "[actors][time][shape]") {
  clock_bed bed;
  bed.begin(a_row());
  reshape(bed, {removal("b"), add_task{keyed("b", {"a"})}, edge("c", "b"),
                rename_task<std::string>{"c", "last"}});
  bed.restart();
  CHECK(bed.states() == "working canceled pending pending");
  bed.report("a", report_completed{});
  CHECK(started(bed).back() == "b");
  bed.report("b", report_completed{});
  CHECK(started(bed).back() == "last");
  bed.report("last", report_completed{});
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("a change survives that its plan is tried again", "[actors][time][shape]") {
  clock_bed bed;
  bed.begin(a_row());
  reshape(bed, {removal("b"), add_task{keyed("d", {"a"})}});
  bed.report("c", report_completed{});
  bed.report("a", report_failed{"no", false});
  CHECK(bed.objective()->state == objective_state::failed);
  bed.move(objective_state::planning);
  bed.move_plan(0, plan_state::working);
  CHECK(bed.states() == "working canceled completed pending");
  bed.report("a", report_completed{});
  bed.report("d", report_completed{});
  CHECK(bed.objective()->plans[0].state == plan_state::completed);
}

TEST_CASE("a cycle through another plan is refused", "[actors][time][shape]") {
  clock_bed bed;
  auto held = a_plan("p", {keyed("begun"), keyed("a", {"other"}), keyed("b", {"begun"})});
  auto other = a_plan("q", {keyed("first"), keyed("other", {"b", "first"})});
  bed.begin(an_objective({held, other}));
  const auto why = refused(bed, {edge("b", "a")});
  CHECK(why.code == errc::dependency_cycle);
  const auto put = put_task<std::string>{"b", keyed("b", {"begun", "a"})};
  CHECK(refused(bed, {put}).code == errc::dependency_cycle);
  CHECK(refused(bed, {removal("b")}).message
        == "operation 0: a task of another plan depends on task \"b\"");
  reshape(bed, {add_task{keyed("c")}, edge("a", "c")});
}

TEST_CASE("a plan is added to an objective of which another plan was changed",
          "[actors][time][shape]") {
  clock_bed bed;
  const auto id = bed.begin(a_row());
  reshape(bed, {removal("b"), add_task{keyed("b2")}});
  create_plan more;
  more.objective = id;
  more.spec = a_plan("q", {keyed("b", {"b2"})});
  more.start = true;
  std::optional<result<plan_id>> made;
  bed.main_gateway().create(more, [&](result<plan_id> how) { made = std::move(how); });
  bed.clock.settle();
  REQUIRE(made.has_value());
  INFO((made->has_value() ? "" : made->error().message));
  REQUIRE(made->has_value());
  bed.report("b2", report_completed{});
  CHECK(started(bed).back() == "b");
}

TEST_CASE("a reference of an added task names what it depends on", "[actors][time][shape]") {
  clock_bed bed;
  bed.begin(a_row());
  auto referring = keyed("new", {"a"});
  referring.input = {{"text", "${tasks.c.artifacts[0].text}"}};
  CHECK(refused(bed, {add_task{referring}}).code == errc::invalid_reference);
  referring.input = {{"text", "${tasks.a.artifacts[0].text}"}};
  reshape(bed, {add_task{referring}});
}

TEST_CASE(
    "a dependency to which a reference refers is neither removed nor renamed away, before the "
    "plan runs or while it does",
    "[actors][time][shape]") {
  clock_bed bed;
  auto by_key = keyed("c", {"a", "b"});
  by_key.input = {{"text", "${tasks.a.artifacts[0].text}"}};
  auto by_name = keyed("d", {"b"});
  by_name.input = {{"text", "${tasks.second.artifacts[0].text}"}};
  auto second = keyed("b", {"a"});
  second.name = "second";
  bed.begin(an_objective({a_plan("p", {keyed("a"), second, by_key, by_name})}),
            GENERATE(true, false));
  const auto removed = refused(bed, {no_edge("c", "a")});
  CHECK(removed.code == errc::still_read);
  CHECK(
      removed.message
      == "operation 0: task \"c\": ${tasks.a.artifacts[0].text}: it would depend on no task, or on "
         "several, called \"a\"");
  CHECK(removed.field == "/operations/0");
  CHECK(refused(bed, {removal("b")}).code == errc::still_read);
  CHECK(refused(bed, {rename_task<std::string>{"b", "other"}}).code == errc::still_read);
  CHECK(bed.objective()->revision == 0);
  reshape(bed, {no_edge("c", "b"), no_edge("c", "a"), edge("c", "a")});
  reshape(bed, {removal("d"), rename_task<std::string>{"b", "other"}});
  CHECK(bed.objective()->revision == 2);
}

TEST_CASE("an objective is charged for its plans as they are, not for their changes",
          "[actors][time][shape]") {
  const auto spec = a_row();
  executor_options options;
  options.live_bytes_max = live_bytes_of(spec) + 10'000;
  clock_bed bed{options};
  bed.begin(spec, GENERATE(true, false));
  for (int i = 0; i < 200; ++i)
    reshape(bed, {set_priority<std::string>{"c", i}, no_edge("c", "b"), edge("c", "b"),
                  rename_task<std::string>{"c", "name " + std::to_string(i % 2)}});
  std::optional<error> full;
  for (int i = 0; i < 20 && !full; ++i) {
    auto large = keyed("large " + std::to_string(i));
    large.description = std::string(2'000, 'x');
    const auto got = ask(bed, operations_on(bed, {add_task{large}}));
    bed.clock.settle();
    REQUIRE(got->has_value());
    if (!**got)
      full = (**got).error();
  }
  REQUIRE(full);
  CHECK(full->code == errc::overloaded);
}

// The end is taken first: the command would be sent to an actor that has ended, and nothing would
// be done any more.
TEST_CASE("a change of a plan that ends while another plan is changed finds it ended",
          "[actors][time][shape][orders]") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    INFO("seed " << seed);
    clock_bed bed{{}, seed};
    bed.begin(an_objective({a_plan("p", {keyed("a")}), a_plan("q", {keyed("b")})}));
    bed.hand->of("b").port->report(report_completed{});
    edit_plan edit;
    edit.edited.name = "new";
    const auto of_first = ask(bed, operations_on(bed, {edit}, 0));
    const auto of_second = ask(bed, operations_on(bed, {edit}, 1));
    bed.clock.settle();
    CHECK((*of_first && (**of_first).has_value()));
    CHECK(of_second->has_value()); // Done or refused: the end may come before.
    CHECK(bed.objective()->plans[1].state == plan_state::completed);
    bed.report("a", report_completed{});
    REQUIRE(bed.objective()->state == objective_state::completed);
  }
}
