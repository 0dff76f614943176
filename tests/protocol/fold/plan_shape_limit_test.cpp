// What a change of a plan may cost at most.
#include "protocol/fold/apply.hpp"
#include "protocol/fold/limits.hpp"
#include "protocol/fold/plan_shape.hpp"
#include "tests/store/changes.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::testing;

TEST_CASE("a change that looks for cycles for too long is refused, and changes nothing",
          "[fold][shape]") {
  // Two chains. Whether a task of the one may wait for a task of the other is known only when both
  // have been followed to their ends.
  constexpr std::uint32_t length = 20'000;
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
  for (std::uint32_t i = 0; i < 200; ++i)
    command.operations.emplace_back(add_dependency<std::string>{
        "task-" + std::to_string(i), "task-" + std::to_string(2 * length - 1 - i)});
  shape_terms terms;
  terms.revision = view.revision + 1;
  terms.now = at_ms(200);
  terms.tasks_max = 10 * length;
  plan_shape shape{*tasks.spec};
  const auto looked_at = shape.looked_at();
  const auto refused = decide(tasks, shape, command, terms);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == errc::limit_exceeded);
  CHECK_THAT(refused.error().message, ContainsSubstring("plan_change_looks_max"));
  CHECK(shape.looked_at() - looked_at < plan_change_looks_max + 10 * length);

  // The same in fewer operations is taken: none of the refused ones is left.
  command.operations.resize(2);
  const auto taken = decide(tasks, shape, command, terms);
  REQUIRE(taken.has_value());
  CHECK(taken->changed.operations.size() == 2);
}
