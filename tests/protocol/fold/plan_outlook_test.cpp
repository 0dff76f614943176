#include "protocol/fold/apply.hpp"
#include "protocol/fold/plan_outlook.hpp"
#include "tests/store/changes.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr std::uint32_t many_plans = 10'000;

/// Each plan depends on the one before it, which it names by its id.
objective_view a_chain() {
  objective_view out;
  apply(out, about("o", 1, objective_created{make_objective("o", {}), {}}));
  for (std::uint32_t p = 0; p < many_plans; ++p) {
    auto spec = std::make_shared<plan_spec>(*make_plan(out.id, p, 1));
    if (p > 0)
      spec->dependencies = {out.plans[p - 1].spec->id.str()};
    apply(out, about("o", 2, plan_added{std::move(spec), false}));
  }
  return out;
}

} // namespace

TEST_CASE("one of 10,000 plans is shown without looking at the others", "[fold][plan_outlook]") {
  auto view = a_chain();
  const auto last = many_plans - 1;
  {
    plan_outlook outlook{view, {last}};
    CHECK(outlook.state(last) == plan_state::pending);
    CHECK(outlook.ids().plan(view.plans[last].spec->dependencies.at(0))
          == view.plans[last - 1].spec->id.str());
    CHECK(outlook.looked_at() == 0);
  }
  apply(view, about("o", 3, plan_moved{last - 2, plan_event::work, ""}));
  apply(view, about("o", 4, plan_moved{last - 2, plan_event::block, ""}));
  plan_outlook outlook{view, {last}};
  CHECK(outlook.state(last) == plan_state::blocked);
  CHECK(outlook.waits_for(last) == std::vector<std::uint32_t>{last - 1});
  CHECK(outlook.looked_at() == 3);
}

TEST_CASE("a plan is found by the same name without an index and with one",
          "[fold][plan_outlook]") {
  objective_view view;
  apply(view, about("o", 1, objective_created{make_objective("o", {}), {}}));
  const auto add = [&](std::string id, std::string key, std::string name) {
    auto spec = std::make_shared<plan_spec>();
    spec->id = plan_id{std::move(id)};
    spec->key = std::move(key);
    spec->name = std::move(name);
    apply(view, about("o", 2, plan_added{std::move(spec), false}));
  };
  add("o.p0", "", "twice");
  add("chosen", "chosen", "plan-3");
  add("o.p2", "key", "twice");
  add("o.p3", "", "chosen"); // an id is found before a name
  const std::vector<std::pair<std::string, std::optional<std::uint32_t>>> names{
      {"o.p2", 2},   {"chosen", 1},  {"key", 2}, {"twice", 0}, {"plan-3", 1},
      {"plan-0", 0}, {"plan-4", {}}, {"", {}},   {"o.p9", {}}, {"nobody", {}}};
  id_lookup ids{view};
  for (int round = 0; round < 3; ++round)
    for (const auto& [name, at] : names) {
      CAPTURE(round, name);
      CHECK(ids.plan_at(name) == at);
    }
}

TEST_CASE("a copy of an objective shares the plans that do not change", "[fold][plan_outlook]") {
  const auto view = a_chain();
  auto next = view;
  apply(next, about("o", 3, plan_moved{many_plans / 2, plan_event::work, ""}));
  CHECK(next.plans[many_plans / 2].state == plan_state::working);
  CHECK(view.plans[many_plans / 2].state == plan_state::pending);
  // ThreadSanitizer does not see the fence of is_unshared, so there every changed chunk is copied.
  CHECK(next.plans.chunks_shared_with(view.plans) + 2 == view.plans.chunks());
}

TEST_CASE("a dependency on a task of another plan is shown without an index",
          "[fold][plan_outlook]") {
  auto view = a_chain();
  auto spec = std::make_shared<plan_spec>(*make_plan(view.id, many_plans, 2));
  spec->tasks.edit(1).dependencies = {"by its name", "task-0", "another"};
  spec->tasks.edit(1).dependency_indexes = {elsewhere, 0, elsewhere};
  spec->outside.push_back({.task = 1, .on_plan = 7, .on_task = 0});
  spec->outside.push_back({.task = 1, .on_plan = 9, .on_task = 0});
  apply(view, about("o", 3, plan_added{spec, false}));
  id_lookup ids{view};
  CHECK(ids.task(many_plans, 1, 0) == view.plans[7].task_at(0).str());
  CHECK(ids.task(many_plans, 1, 1) == view.plans[many_plans].task_at(0).str());
  CHECK(ids.task(many_plans, 1, 2) == view.plans[9].task_at(0).str());
  CHECK(ids.indexed() == 0);
}
