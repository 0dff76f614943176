// Plans that are added to an objective, and the index of names that follows them and the changes of
// older plans.
#include "actors/graph/added_plan.hpp"
#include "actors/objective/acceptance.hpp"
#include "protocol/fold/apply.hpp"
#include "protocol/fold/plan_shape.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/results.hpp"
#include "tests/support/specs.hpp"

#include <random>

using namespace troupe;
using namespace troupe::testing;

namespace {

plan_spec after(plan_spec plan, std::vector<std::string> dependencies) {
  plan.dependencies = std::move(dependencies);
  return plan;
}

} // namespace

namespace {

/// As the gateway names what was accepted.
plan_spec_ptr named(plan_spec plan, std::size_t index) {
  plan.id = plan_id{"o.p" + std::to_string(index)};
  for (std::size_t t = 0; t < plan.tasks.size(); ++t)
    if (plan.tasks[t].id.empty())
      plan.tasks.edit(t).id = make_task_id(plan.id, t);
  return std::make_shared<plan_spec>(std::move(plan));
}

bool same(const resolved_plan& a, const resolved_plan& b) {
  return a.dependencies == b.dependencies && a.alternatives == b.alternatives && a.edges == b.edges
         && a.externals == b.externals && a.dependency_offsets == b.dependency_offsets
         && a.dependency_positions == b.dependency_positions;
}

/// Plans whose names and dependencies meet by chance.
plan_spec any_plan(std::mt19937& random, std::size_t index) {
  const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
  const auto any_text = [&] {
    const std::vector<std::string> texts{
        "a",       "b",     "c",    "task-0", "task-1", "plan-0/task-0", "plan-1/task-1",
        "o.p0.t0", "key-0", "key-1"};
    return texts[below(static_cast<std::uint32_t>(texts.size()))];
  };
  std::vector<task_spec> tasks;
  for (auto n = 1 + below(3); n > 0; --n) {
    auto task = a_task(std::string(1, static_cast<char>('a' + below(8))));
    if (below(4) == 0)
      task.key = "key-" + std::to_string(index);
    if (below(2) == 0)
      task.dependencies.push_back(any_text());
    tasks.push_back(std::move(task));
  }
  auto out = a_plan("plan " + std::to_string(below(6)), std::move(tasks));
  if (index > 0 && below(3) == 0)
    out.dependencies.push_back(
        below(2) ? "plan-" + std::to_string(below(static_cast<std::uint32_t>(index)))
                 : "plan " + std::to_string(below(6)));
  if (index > 0 && below(5) == 0)
    out.alternatives.push_back("plan-" + std::to_string(below(static_cast<std::uint32_t>(index))));
  return out;
}

} // namespace

TEST_CASE("a plan that is added is resolved as if all had come together", "[actors][added_plan]") {
  std::mt19937 random{static_cast<std::mt19937::result_type>(GENERATE(range(0, 60)))};
  std::vector<plan_spec_ptr> plans{named(any_plan(random, 0), 0)};
  auto before = resolve_dependencies(plans);
  if (!before)
    return;
  objective_index known{plans, {before->plans.begin(), before->plans.end()}};
  std::size_t accepted = 0;
  for (int tries = 0; tries < 60 && accepted < 12; ++tries) {
    const auto plan = named(any_plan(random, plans.size()), plans.size());
    auto all = plans;
    all.push_back(plan);
    const auto together = resolve_dependencies(all);
    const auto added = resolve_added_plan(known, plan);
    // What was resolved before stays as it was: a name that would mean something else now is
    // refused.
    bool keeps = together.has_value();
    for (std::size_t p = 0; keeps && p < plans.size(); ++p)
      keeps = before->plans[p].dependency_positions == together->plans[p].dependency_positions
              && before->plans[p].dependencies == together->plans[p].dependencies;
    CAPTURE(plans.size());
    REQUIRE(added.has_value() == keeps);
    if (!added)
      continue;
    REQUIRE(same(added->plan, together->plans.back()));
    std::size_t edges = 0;
    for (std::size_t p = 0; p < plans.size(); ++p)
      edges += together->plans[p].outgoing.size() - before->plans[p].outgoing.size();
    CHECK(added->awaited.size() == edges);
    known.add(plan, added->plan);
    plans = std::move(all);
    before = together;
    ++accepted;
  }
}

TEST_CASE("adding a plan costs what the plan has, however many are there", "[actors][added_plan]") {
  constexpr std::size_t added_plans = 1'200;
  constexpr std::size_t tasks = 5;
  objective_index known{{}, {}};
  for (std::size_t p = 0; p < added_plans; ++p) {
    std::vector<task_spec> all;
    for (std::size_t t = 0; t < tasks; ++t)
      all.push_back(
          a_task("t" + std::to_string(p) + "." + std::to_string(t),
                 t == 0 ? std::vector<std::string>{} : std::vector<std::string>{"task-0"}));
    if (p > 0)
      all[1].dependencies.push_back("t" + std::to_string(p - 1)
                                    + ".0"); // of the plan before, by its name
    auto plan = a_plan("plan " + std::to_string(p), std::move(all));
    if (p > 0)
      plan.dependencies = {"plan-0"};
    const auto spec = named(std::move(plan), p);
    const auto resolved = resolve_added_plan(known, spec);
    REQUIRE(resolved);
    known.add(spec, resolved->plan);
  }
  CHECK(known.looked_at() <= 4 * added_plans * tasks);
}

TEST_CASE("a cycle that a plan brings with it is refused, also by way of its alternatives",
          "[actors][added_plan]") {
  const std::vector<plan_spec_ptr> plans{named(a_plan("a", {a_task("x")}), 0),
                                         named(after(a_plan("b", {a_task("y")}), {"a"}), 1)};
  const auto resolved = resolve_dependencies(plans);
  REQUIRE(resolved);
  const objective_index known{plans, {resolved->plans.begin(), resolved->plans.end()}};
  CHECK(resolve_added_plan(known, named(a_plan("c", {a_task("p", {"q"}), a_task("q", {"p"})}), 2))
            .error()
            .code
        == errc::dependency_cycle);
  auto instead = after(a_plan("c", {a_task("z")}), {"b"});
  instead.alternatives = {"a"};
  CHECK(resolve_added_plan(known, named(instead, 2)).error().code == errc::dependency_cycle);
  instead.dependencies.clear();
  CHECK(resolve_added_plan(known, named(instead, 2)));
}

// -- the index follows changes -------------------------------------------------------------------

namespace {

/// An objective whose plans are added and changed, with the index beside it.
struct grown {
  std::vector<plan_spec_ptr> plans;
  std::vector<plan_relations> relations;
  objective_index index{{}, {}};

  bool add(const plan_spec& plan) {
    const auto spec = std::make_shared<plan_spec>(plan);
    const auto resolved = resolve_added_plan(index, spec);
    if (!resolved)
      return false;
    note_dependencies(*spec, static_cast<std::uint32_t>(plans.size()), resolved->plan,
                      [&](const task_position& at) { return plans[at.plan]->tasks[at.task].id; });
    plans.push_back(spec);
    relations.push_back(resolved->plan);
    for (const auto other : resolved->plan.alternatives)
      relations[other].alternative_of = static_cast<std::uint32_t>(plans.size() - 1);
    index.add(spec, resolved->plan);
    return true;
  }

  /// False: refused.
  bool change(std::uint32_t plan, std::vector<wanted_operation> operations) {
    plan_view view;
    view.spec = plans[plan];
    view.tasks.resize(view.spec->tasks.size());
    plan_shape shape{*view.spec};
    change_plan command;
    command.operations = std::move(operations);
    shape_terms terms;
    terms.plan = plan;
    terms.tasks_max = 1'000'000;
    const auto changed = decide(view, shape, command, terms);
    if (!changed)
      return false;
    apply(view, troupe::change{}, changed->changed);
    plans[plan] = view.spec;
    index.apply(view.spec, changed->changed);
    return true;
  }
};

} // namespace

TEST_CASE("an index that has followed changes resolves like a new one", "[actors][added_plan]") {
  std::mt19937 random{static_cast<std::mt19937::result_type>(GENERATE(range(0, 40)))};
  const auto below = [&](std::size_t end) { return static_cast<std::uint32_t>(random() % end); };
  grown now;
  std::size_t compared = 0;
  std::size_t changes = 0;
  for (int step = 0; step < 60; ++step) {
    if (now.plans.empty() || below(3) == 0) {
      static_cast<void>(now.add(*named(any_plan(random, now.plans.size()), now.plans.size())));
    } else {
      const auto plan = below(now.plans.size());
      const auto size = now.plans[plan]->tasks.size();
      const auto any_task = [&] { return "task-" + std::to_string(below(size)); };
      // A name that no dependency uses: whether it is one of the own plan is noted once.
      auto task = a_task(std::string(1, static_cast<char>('p' + below(8))));
      if (below(2) == 0)
        task.key = "key-" + std::to_string(below(20));
      if (task.key.empty() || !now.index.find_task(task.key)) {
        if (below(2) == 0)
          task.dependencies = {any_task()};
        const std::vector<wanted_operation> operations{
            add_task{task}, remove_task<std::string>{any_task()},
            add_dependency<std::string>{any_task(), any_task()},
            remove_dependency<std::string>{any_task(), any_task()}};
        changes += now.change(plan, {operations[below(operations.size())]}) ? 1 : 0;
      }
    }
    const objective_index anew{now.plans, now.relations};
    const auto next = named(any_plan(random, now.plans.size()), now.plans.size());
    const auto one = resolve_added_plan(now.index, next);
    const auto other = resolve_added_plan(anew, next);
    INFO((one ? "" : one.error().message) << " / " << (other ? "" : other.error().message));
    REQUIRE(one.has_value() == other.has_value());
    if (!one)
      CHECK(one.error().code == other.error().code);
    else
      CHECK(same(one->plan, other->plan));
    ++compared;
  }
  CHECK(compared == 60);
  CHECK(changes > 0);
}

TEST_CASE("the id of a task that is removed is free, and one that is added is taken",
          "[actors][added_plan]") {
  grown now;
  auto first = a_task("first");
  first.key = "x";
  REQUIRE(now.add(*named(a_plan("p", {first, a_task("second")}), 0)));
  CHECK(now.index.find_task("x") == task_position{0, 0});
  CHECK(now.index.find_task("o.p0.t1") == task_position{0, 1});
  auto again = a_task("third");
  again.key = "y";
  REQUIRE(now.change(0, {remove_task<std::string>{"x"}, add_task{again},
                         rename_task<std::string>{"task-1", "other"}}));
  CHECK_FALSE(now.index.find_task("x"));
  CHECK_FALSE(now.index.find_task("o.p0.t0"));
  CHECK(now.index.find_task("y") == task_position{0, 2});
  CHECK(now.index.find_task("o.p0.t2") == task_position{0, 2});
  CHECK(now.index.find_tasks_named("first").count == 0);
  CHECK(now.index.find_tasks_named("second").count == 0);
  CHECK(now.index.find_tasks_named("other").only == task_position{0, 1});
  CHECK_FALSE(now.index.find_task_at("plan-0/task-0"));
  CHECK(check_added_keys({add_task{first}}, 1, now.index).has_value());
  CHECK(check_added_keys({add_task{again}}, 0, now.index).has_value()); // its own plan judges
  const auto taken = check_added_keys({add_task{first}, add_task{again}}, 1, now.index);
  REQUIRE_FALSE(taken);
  CHECK(taken.error().code == errc::duplicate_id);
  CHECK(taken.error().field == "/operations/1/task/id");
}

TEST_CASE("a key that one change takes from a task and gives to another is known",
          "[actors][added_plan]") {
  grown now;
  auto first = a_task("first");
  first.key = "x";
  REQUIRE(now.add(*named(a_plan("p", {first}), 0)));
  auto again = a_task("again");
  again.key = "x";
  REQUIRE(now.change(0, {remove_task<std::string>{"x"}, add_task{again}}));
  CHECK(now.index.find_task("x") == task_position{0, 1});
}

TEST_CASE("a change costs what it touches, beside 1,000 plans and in a plan of 100,000 tasks",
          "[actors][added_plan]") {
  grown now;
  std::vector<task_spec> many(100'000, a_task(""));
  for (std::size_t t = 0; t < many.size(); ++t)
    many[t].name = "n" + std::to_string(t);
  REQUIRE(now.add(*named(a_plan("large", std::move(many)), 0)));
  for (std::size_t p = 1; p <= 1'000; ++p)
    REQUIRE(now.add(*named(a_plan("plan " + std::to_string(p), {a_task("a"), a_task("b")}), p)));
  auto added = a_task("new", {"task-99999"});
  added.key = "new";
  auto before = now.index.looked_at();
  REQUIRE(check_added_keys({add_task{added}}, 0, now.index).has_value());
  REQUIRE(now.change(0, {add_task{added}, add_dependency<std::string>{"task-7", "new"},
                         remove_task<std::string>{"task-3"}}));
  CHECK(now.index.looked_at() - before == 3);
  before = now.index.looked_at();
  REQUIRE(now.change(500, {add_task{a_task("c")}}));
  CHECK(now.index.looked_at() - before == 1);
  before = now.index.looked_at();
  REQUIRE(now.add(*named(a_plan("last", {a_task("z", {"new"})}), 1'001)));
  CHECK(now.index.looked_at() - before == 2);
}
