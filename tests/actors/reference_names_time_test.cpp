// What references call the tasks they refer to: what is accepted before anything runs is found when
// the task begins.
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/results.hpp"
#include "tests/support/specs.hpp"

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::testing;

namespace {

task_spec referring(std::string name, std::vector<std::string> after, const std::string& to) {
  auto out = a_task(std::move(name), std::move(after), "hand");
  out.input = {{"text", "${tasks[\"" + to + "\"].artifacts[0].text}"}};
  return out;
}

task_spec with_key(task_spec task, std::string key) {
  task.key = std::move(key);
  return task;
}

report_completed with_text(const std::string& text) {
  return {{text_artifact("result", text)}, ""};
}

boost::json::value text_for(clock_bed& bed, const std::string& name) {
  return bed.hand->of(name).order->input.find("text")->resolve();
}

} // namespace

TEST_CASE("a task gets the artifacts to which it refers, under any of their names",
          "[actors][references][time]") {
  struct row {
    std::vector<std::string> dependencies;
    std::string reference;
  };
  const auto [dependencies, reference] =
      GENERATE(row{{"search"}, "search"}, row{{"task-0"}, "task-0"}, row{{"task-0"}, "search"},
               row{{"task-0"}, "s"}, row{{"s"}, "search"}, row{{"search", "task-0"}, "search"},
               row{{"s", "s"}, "s"}, row{{"search", "s", "plan-0/task-0"}, "plan-0/task-0"});
  CAPTURE(dependencies, reference);
  const bool elsewhere = GENERATE(false, true);
  if (elsewhere && dependencies.back() == "task-0")
    return; // that is itself there
  clock_bed bed;
  const auto first = with_key(a_task("search", {}, "hand"), "s");
  const auto second = referring("b", dependencies, reference);
  bed.begin(an_objective(elsewhere ? std::vector{a_plan("p", {first}), a_plan("q", {second})}
                                   : std::vector{a_plan("p", {first, second})}));
  bed.report("search", with_text("found"));
  CHECK(text_for(bed, "b") == "found");
  CHECK(bed.hand->of("b").order->dependencies.size() == 1);
}

TEST_CASE("dependencies come to the agent in the order in which they are written",
          "[actors][references][time]") {
  clock_bed bed;
  bed.begin(an_objective(
      {a_plan("p", {a_task("one", {}, "hand"), a_task("two", {}, "hand")}),
       a_plan("q", {a_task("three", {}, "hand"), a_task("b", {"two", "three", "one"}, "hand")})}));
  for (const auto* name : {"one", "three", "two"})
    bed.report(name, with_text(name));
  std::vector<std::string> names;
  for (const auto& one : bed.hand->of("b").order->dependencies)
    names.push_back(one.name);
  CHECK(names == std::vector<std::string>{"two", "three", "one"});
}

TEST_CASE("a reference that could mean two tasks is refused before anything runs",
          "[actors][references][time]") {
  clock_bed bed;
  auto plan =
      a_plan("p", {with_key(a_task("same", {}, "hand"), "x"),
                   with_key(a_task("same", {}, "hand"), "y"), referring("b", {"x", "y"}, "same")});
  CHECK_THROWS_WITH(bed.begin(an_objective({plan})),
                    ContainsSubstring("2 tasks are named \"same\"; use the id"));
  plan.tasks.edit(2) = referring("b", {"x", "task-1"}, "task-1");
  bed.begin(an_objective({plan}));
  for (std::uint32_t i = 0; i < 2; ++i)
    bed.hand->attempts[i]->port->report(with_text(std::to_string(i)));
  bed.pass(0s);
  CHECK(text_for(bed, "b") == "1");
}

TEST_CASE("a reference by an id holds after a retry", "[actors][references][time]") {
  clock_bed bed;
  bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand")})}));
  const auto id = bed.objective()->plans[0].task_at(0).str();
  create_plan more;
  more.objective = bed.objective()->id;
  more.spec = a_plan("q", {referring("b", {id}, id)});
  std::optional<result<plan_id>> made;
  bed.main_gateway().create(std::move(more), [&](result<plan_id> how) { made = std::move(how); });
  bed.pass(0s);
  REQUIRE(made);
  REQUIRE(*made);
  bed.report("a", report_failed{"no", false});
  REQUIRE(bed.objective()->state == objective_state::failed);
  bed.move(objective_state::planning);
  bed.move(objective_state::working);
  bed.report("a", with_text("at last"));
  CHECK(bed.objective()->plans[0].task_at(0).str() == id + ".r1");
  CHECK(text_for(bed, "b") == "at last");
}
