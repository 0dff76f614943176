// Ready tasks start in the order of the document, also after a restart.
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/specs.hpp"

#include <string>
#include <vector>

using namespace troupe;
using namespace troupe::testing;

namespace {

std::vector<std::string> names(std::size_t count) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back("t" + std::to_string(i));
  return out;
}

plan_spec tasks_named(const std::vector<std::string>& all, const std::string& agent) {
  std::vector<task_spec> tasks;
  for (const auto& name : all)
    tasks.push_back(a_task(name, {}, agent));
  return a_plan("p", std::move(tasks));
}

std::vector<std::string> begun(const hand_agent& hand, std::size_t from = 0) {
  std::vector<std::string> out;
  for (std::size_t i = from; i < hand.attempts.size(); ++i)
    out.push_back(hand.attempts[i]->name);
  return out;
}

} // namespace

TEST_CASE("tasks that are ready at once start in the order of the document", "[actors][time]") {
  clock_bed bed;
  const auto all = names(8);
  bed.begin(an_objective({tasks_named(all, "hand")}));
  CHECK(begun(*bed.hand) == all);
}

TEST_CASE("tasks that go on after a restart start in the order of the document, before the others",
          "[actors][time]") {
  clock_bed bed;
  auto plan = tasks_named(names(8), "hand");
  plan.parallel_max = 4;
  bed.begin(an_objective({std::move(plan)}));
  REQUIRE(begun(*bed.hand) == names(4));
  bed.restart();
  CHECK(begun(*bed.hand, 4) == names(4));
  for (const auto& name : names(4))
    bed.report(name, report_completed{});
  CHECK(begun(*bed.hand, 8) == std::vector<std::string>{"t4", "t5", "t6", "t7"});
}

TEST_CASE(
    "tasks whose dependencies in another plan have completed start in the order of the document",
    "[actors][time]") {
  clock_bed bed;
  auto first = a_plan("first", {a_task("a", {}, "hand"), a_task("b", {}, "hand")});
  auto second = a_plan(
      "second", {a_task("x", {"b"}, "hand"), a_task("y", {"a"}, "hand"), a_task("z", {}, "hand")});
  second.dependencies = {"first"};
  bed.begin(an_objective({std::move(first), std::move(second)}));
  bed.report("a", report_completed{});
  bed.report("b", report_completed{});
  CHECK(begun(*bed.hand, 2) == std::vector<std::string>{"x", "y", "z"});
}
