// What a change of a plan may cost at most.
#include "protocol/fold/apply.hpp"
#include "protocol/fold/limits.hpp"
#include "protocol/fold/plan_shape.hpp"
#include "tests/store/changes.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::testing;

TEST_CASE("many dependencies are looked at together for cycles", "[fold][shape]") {
  // Two chains. Whether a task of the one may wait for a task of the other is known only when both
  // have been followed to their ends.
  constexpr std::uint32_t length = 20'000;
  constexpr std::uint32_t added = 1'000;
  const auto spec = make_objective("o", {});
  auto plan = std::make_shared<plan_spec>(*make_plan(spec->id, 0, 2 * length));
  for (std::uint32_t t = 1; t < 2 * length; ++t) {
    if (t == length)
      continue;
    plan->tasks.edit(t).dependencies = {"task-" + std::to_string(t - 1)};
    plan->tasks.edit(t).dependency_indexes = {t - 1};
  }
  spec->plans.push_back(plan);
  objective_view view;
  apply(view, about("o", 100, objective_created{spec, {}}));
  const auto& tasks = view.plans.front();

  change_plan command;
  const auto depend = [&](std::uint32_t task, std::uint32_t on) {
    command.operations.emplace_back(
        add_dependency<std::string>{"task-" + std::to_string(task), "task-" + std::to_string(on)});
  };
  for (std::uint32_t i = 0; i < added; ++i)
    depend(i, 2 * length - 1 - i);
  shape_terms terms;
  terms.revision = view.revision + 1;
  terms.now = at_ms(200);
  terms.tasks_max = 10 * length;
  plan_shape shape{*tasks.spec};
  const auto looked_at = shape.looked_at();

  SECTION("they form none") {
    const auto taken = decide(tasks, shape, command, terms);
    REQUIRE(taken.has_value());
    CHECK(taken->changed.operations.size() == added);
  }
  SECTION("the last one closes one") {
    depend(length, length - 1);
    const auto refused = decide(tasks, shape, command, terms);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == errc::dependency_cycle);
    CHECK(refused.error().field == "/operations/" + std::to_string(added));
    CHECK_THAT(refused.error().message,
               ContainsSubstring("\"task " + std::to_string(length) + "\""));

    // None of the refused ones is left.
    command.operations.pop_back();
    command.operations.resize(2);
    REQUIRE(decide(tasks, shape, command, terms).has_value());
  }
  SECTION("one between them closes one") {
    command.operations.insert(command.operations.begin() + added / 2,
                              add_dependency<std::string>{"task-" + std::to_string(length),
                                                          "task-" + std::to_string(length - 1)});
    const auto refused = decide(tasks, shape, command, terms);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == errc::dependency_cycle);
    CHECK_THAT(refused.error().message, ContainsSubstring("they would form a cycle: "));
  }
  CHECK(shape.looked_at() - looked_at < cycle_searches_looks_max + 20 * length);
}
