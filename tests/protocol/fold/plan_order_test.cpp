#include "protocol/fold/objective_life.hpp"
#include "protocol/fold/plan_order.hpp"
#include "tests/store/changes.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <random>
#include <utility>

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr std::size_t many_plans = 10'000;

bool same(const plan_steps& a, const plan_steps& b) {
  const auto same_skip = [](const plan_steps::skip& x, const plan_steps::skip& y) {
    return x.plan == y.plan && x.reason == y.reason;
  };
  return a.start == b.start && std::ranges::equal(a.skipped, b.skipped, same_skip)
         && a.outcome == b.outcome;
}

/// Plans that are added one by one, each related to those before it.
class growing_plans {
public:
  explicit growing_plans(std::uint32_t seed) : random_(seed) {}

  [[nodiscard]] std::uint32_t below(std::size_t bound) {
    return static_cast<std::uint32_t>(random_() % bound);
  }

  plan_relations more() {
    plan_relations out;
    const auto size = all.size();
    for (int i = 0; i < 2 && size > 0; ++i)
      if (below(2) == 0)
        out.dependencies.push_back(below(size));
    std::ranges::sort(out.dependencies);
    out.dependencies.erase(std::ranges::unique(out.dependencies).begin(), out.dependencies.end());
    for (int i = 0; i < 2 && size > 0; ++i)
      if (const auto other = below(size);
          below(4) == 0 && !all[other].alternative_of && all[other].alternatives.empty()
          && std::ranges::find(out.alternatives, other) == out.alternatives.end())
        out.alternatives.push_back(other);
    for (const auto other : out.alternatives)
      all[other].alternative_of = static_cast<std::uint32_t>(size);
    all.push_back(out);
    states.push_back(plan_state::pending);
    return out;
  }

  std::vector<plan_relations> all;
  std::vector<plan_state> states;

private:
  std::mt19937 random_;
};

} // namespace

TEST_CASE("however the plans move, a step is the same as if every plan were looked at",
          "[fold][plan_order]") {
  const auto seed = GENERATE(range(1U, 61U));
  CAPTURE(seed);
  growing_plans plans{seed};
  plan_order order{{}};
  bool holds = false;
  const auto is_held = [&](std::uint32_t plan) { return holds && plan % 3 == 0; };
  for (int step = 0; step < 120; ++step) {
    if (plans.all.empty() || plans.below(6) == 0) {
      order.add(plans.more());
    } else if (plans.below(10) == 0) {
      holds = !holds;
      order.look_at_all();
    } else {
      const auto plan = plans.below(plans.all.size());
      plans.states[plan] = static_cast<plan_state>(plans.below(6));
      order.set_state(plan, plans.states[plan]);
      order.set_activity(plan, {.idle = plans.below(2) == 0, .asking = plans.below(3)});
    }
    plan_order fresh{plans.all};
    for (std::uint32_t p = 0; p < plans.all.size(); ++p) {
      fresh.set_state(p, plans.states[p]);
      fresh.set_activity(p, order.activity_of(p));
    }
    CHECK(fresh.counts() == order.counts());
    const auto steps = order.next(is_held);
    REQUIRE(same(steps, fresh.next(is_held)));
    for (const auto& skip : steps.skipped)
      plans.states[skip.plan] = plan_state::skipped;
    for (const auto plan : steps.start) {
      plans.states[plan] = plan_state::working;
      order.set_state(plan, plan_state::working);
    }
  }
}

TEST_CASE("10,000 plans are added to an objective that works, and each is looked at once or twice",
          "[fold][plan_order][objective_life]") {
  const bool is_chain = GENERATE(false, true);
  const bool starts_all = GENERATE(false, true);
  CAPTURE(is_chain, starts_all);
  objective_life life{objective_view{}, {}};
  static_cast<void>(
      life.decide(objective_begins{{make_objective("o", {}), {}}, starts_all}, at_ms(1)));
  if (!starts_all) // one by one
    static_cast<void>(
        life.decide(plan_addition{make_plan(objective_id{"o"}, 0, 1), {}, true}, at_ms(1)));
  const auto before = static_cast<std::uint32_t>(life.view().plans.size());
  for (std::uint32_t p = before; p < before + many_plans; ++p) {
    plan_relations relations;
    if (is_chain && p > 0)
      relations.dependencies = {p - 1};
    const auto added = life.decide(
        plan_addition{make_plan(objective_id{"o"}, p, 1), std::move(relations), true}, at_ms(2));
    REQUIRE_FALSE(added.refused);
    REQUIRE(added.events.size() == (is_chain && p > 0 ? 1 : 2)); // it begins, or waits
  }
  CHECK(life.view().plans.size() == before + many_plans);
  CHECK(life.looked_at() <= 2 * many_plans + 2);
}

TEST_CASE("a skipped plan decides nothing: only a failed plan makes an objective fail",
          "[fold][plan_order]") {
  const auto not_held = [](std::uint32_t) { return false; };
  const auto after = [](std::uint32_t plan) {
    return plan_relations{.dependencies = {plan}, .alternatives = {}, .alternative_of = {}};
  };
  plan_order order{{plan_relations{}, plan_relations{}, after(1)}};
  SECTION("one is completed, the other skipped by request, and with it what depends on that") {
    order.set_state(0, plan_state::completed);
    order.set_state(1, plan_state::skipped);
    const auto steps = order.next(not_held);
    REQUIRE(steps.skipped.size() == 1);
    CHECK(steps.skipped[0].plan == 2);
    CHECK(steps.outcome == objective_state::completed);
  }
  SECTION("all are skipped by request") {
    for (std::uint32_t p = 0; p < 3; ++p)
      order.set_state(p, plan_state::skipped);
    CHECK(order.next(not_held).outcome == objective_state::completed);
  }
  SECTION("one has failed") {
    order.set_state(0, plan_state::completed);
    order.set_state(1, plan_state::failed);
    const auto steps = order.next(not_held);
    CHECK(steps.skipped.size() == 1);
    CHECK(steps.outcome == objective_state::failed);
  }
}

TEST_CASE("10,000 plans that end one after the other look at those that depend on them",
          "[fold][plan_order]") {
  plan_order order{{}};
  const auto is_held = [](std::uint32_t) { return false; };
  for (std::uint32_t p = 0; p < many_plans; ++p)
    order.add(
        p == 0 ? plan_relations{}
               : plan_relations{.dependencies = {p - 1}, .alternatives = {}, .alternative_of = {}});
  for (std::uint32_t p = 0; p < many_plans; ++p) {
    REQUIRE(order.next(is_held).start == std::vector<std::uint32_t>{p});
    order.set_state(p, plan_state::working);
    static_cast<void>(order.next(is_held));
    order.set_state(p, plan_state::completed);
  }
  CHECK(order.looked_at() <= 5 * many_plans);
  CHECK(order.next(is_held).outcome == objective_state::completed);
}
