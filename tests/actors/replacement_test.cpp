// Plans of a text in the place of those that have not begun.
#include "actors/planning/replacement.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/opt/plan_operations.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/specs.hpp"

#include <boost/json/parse.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace troupe;
using namespace troupe::testing;

namespace {

plan_spec named(const std::string& name, std::vector<std::string> after = {}) {
  auto out = a_plan(name, {a_task("t")});
  out.id = plan_id{name};
  out.name = name;
  out.dependencies = std::move(after);
  return out;
}

objective_view viewed(std::vector<std::pair<plan_spec, plan_state>> plans) {
  objective_view out;
  for (auto& [spec, state] : plans) {
    plan_view plan;
    plan.spec = std::make_shared<const plan_spec>(std::move(spec));
    plan.state = state;
    out.plans.push_back(std::move(plan));
  }
  return out;
}

objective_spec of_plans(std::vector<plan_spec> plans) {
  objective_spec out;
  for (auto& each : plans)
    out.plans.push_back(std::make_shared<const plan_spec>(std::move(each)));
  return out;
}

/// `- q` for each plan that goes, `+ new < p` for each that comes.
std::string change_of(const objective_view& now, const objective_spec& by) {
  std::string out;
  for (const auto& each : replacing_operations(now, plans_as_operations(by))) {
    out += out.empty() ? "" : ", ";
    if (const auto* removed = std::get_if<remove_plan<std::string>>(&each))
      out += "- " + removed->plan;
    if (const auto* added = std::get_if<new_plan>(&each)) {
      out += "+ " + added->spec->name;
      for (const auto& on : added->spec->dependencies)
        out += " < " + on;
    }
  }
  return out;
}

} // namespace

TEST_CASE("plans that have not begun go, and the new ones wait for what they waited for",
          "[actors][replan]") {
  using enum plan_state;
  const auto one = of_plans({named("x")});
  CHECK(change_of(viewed({{named("p"), working}}), one) == "+ x");
  CHECK(change_of(viewed({{named("p"), working}, {named("q"), pending}}), one) == "- q, + x");
  CHECK(change_of(viewed({{named("p"), working}, {named("q", {"p"}), pending}}), one)
        == "- q, + x < p");
  CHECK(change_of(viewed({{named("p"), completed}, {named("q", {"p"}), pending}}), one)
        == "- q, + x");
  // Dependents first.
  CHECK(change_of(viewed({{named("p"), blocked},
                          {named("q", {"p"}), pending},
                          {named("r", {"q"}), pending}}),
                  one)
        == "- r, - q, + x < p");
}

TEST_CASE("a plan that one which stays needs is not taken away", "[actors][replan]") {
  using enum plan_state;
  const auto one = of_plans({named("x")});
  auto primary = named("p");
  primary.alternatives = {"a"};
  CHECK(change_of(viewed({{primary, working}, {named("a"), pending}, {named("q"), pending}}), one)
        == "- q, + x");
  auto before = named("b");
  auto alternative = named("a", {"b"});
  CHECK(change_of(viewed({{primary, working}, {alternative, pending}, {before, pending}}), one)
        == "+ x");
}

TEST_CASE("new plans stand behind those that they name", "[actors][replan]") {
  const auto now = viewed({});
  CHECK(change_of(now, of_plans({named("y", {"x"}), named("x")})) == "+ x, + y < new-1");
  CHECK(change_of(now, of_plans({named("x"), named("y", {"plan-0"})})) == "+ x, + y < new-0");
}

TEST_CASE("operations are written as they are read", "[actors][replan]") {
  const std::string text =
      R"([{"op":"addPlan","as":"n","start":true,"name":"N","tasks":[{"name":"t","agent":"echo"}],"dependencies":["p"]},)"
      R"({"op":"removePlan","plan":"q"},{"op":"skipPlan","plan":"r","cancel":true},)"
      R"({"op":"setPlanDependencies","plan":"s","dependencies":["n","p"]},)"
      R"({"op":"setPlan","plan":"p","name":"P","priority":3},{"op":"setObjective","name":"O","deadline":null}])";
  const auto read =
      opt::read_objective_operations(boost::json::parse(text).as_array(), "/operations");
  REQUIRE(read.has_value());
  std::string written;
  json_writer out(written);
  opt::write_operations(out, *read);
  const auto again =
      opt::read_objective_operations(boost::json::parse(written).as_array(), "/operations");
  REQUIRE(again.has_value());
  std::string twice;
  json_writer more(twice);
  opt::write_operations(more, *again);
  CHECK(written == text);
  CHECK(twice == written);
}
