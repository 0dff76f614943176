#include "protocol/fold/plan_order.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

enum class prospect : std::uint8_t { met, open, lost };

// Whether `plan` or one of its alternatives has completed, can still complete, or cannot.
prospect prospect_of(const std::vector<plan_relations>& plans,
                     const std::vector<plan_state>& states, std::uint32_t plan) {
  if (states[plan] == plan_state::completed)
    return prospect::met;
  bool open = !is_settled(states[plan]);
  for (const auto other : plans[plan].alternatives) {
    if (states[other] == plan_state::completed)
      return prospect::met;
    // After a skip of the plan itself its alternatives do not start.
    open = open || (!is_settled(states[other]) && states[plan] != plan_state::skipped);
  }
  return open ? prospect::open : prospect::lost;
}

// Whether an alternative's turn has come: met = start it, open = wait, lost = not needed any more.
prospect turn_of(const std::vector<plan_relations>& plans, const std::vector<plan_state>& states,
                 std::uint32_t plan) {
  const auto primary = *plans[plan].alternative_of;
  if (states[primary] == plan_state::completed || states[primary] == plan_state::skipped)
    return prospect::lost;
  if (states[primary] != plan_state::failed)
    return prospect::open;
  for (const auto other : plans[primary].alternatives) {
    if (other == plan)
      return prospect::met;
    if (states[other] == plan_state::completed)
      return prospect::lost;
    if (!is_settled(states[other]))
      return prospect::open;
  }
  return prospect::open;
}

} // namespace

bool may_be_met(const std::vector<plan_relations>& plans, const std::vector<plan_state>& states,
                std::uint32_t plan) {
  return prospect_of(plans, states, plan) != prospect::lost;
}

bool is_met(const std::vector<plan_relations>& plans, const std::vector<plan_state>& states,
            std::uint32_t plan) {
  return prospect_of(plans, states, plan) == prospect::met;
}

plan_steps next_steps(const std::vector<plan_relations>& plans, const std::vector<plan_state>& now,
                      const std::vector<bool>& held) {
  plan_steps out;
  auto states = now;
  // A skip may decide the fate of further plans, so go round until nothing changes.
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t p = 0; p < plans.size(); ++p) {
      if (states[p] != plan_state::pending || (!held.empty() && held[p]))
        continue;
      const auto turn = plans[p].alternative_of ? turn_of(plans, states, p) : prospect::met;
      std::string reason = turn == prospect::lost ? "not needed" : "";
      bool ready = turn == prospect::met;
      for (const auto other : plans[p].dependencies) {
        const auto hope = prospect_of(plans, states, other);
        ready = ready && hope == prospect::met;
        if (hope == prospect::lost && reason.empty())
          reason = "a plan it depends on did not complete";
      }
      if (!reason.empty()) {
        states[p] = plan_state::skipped;
        out.skipped.push_back({p, std::move(reason)});
        changed = true;
      } else if (ready) {
        states[p] = plan_state::working;
        out.start.push_back(p);
      }
    }
  }
  const auto active = [](plan_state state) {
    return state == plan_state::working || state == plan_state::blocked;
  };
  if (plans.empty() || std::any_of(states.begin(), states.end(), active)
      || std::find(states.begin(), states.end(), plan_state::pending) != states.end())
    return out;
  bool good = true;
  for (std::uint32_t p = 0; p < plans.size(); ++p)
    // An alternative's failure is its primary's: judged there.
    if (!plans[p].alternative_of)
      good = good && prospect_of(plans, states, p) == prospect::met;
  out.outcome = good ? objective_state::completed : objective_state::failed;
  return out;
}

} // namespace troupe
