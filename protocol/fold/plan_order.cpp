#include "protocol/fold/plan_order.hpp"

#include <unordered_set>
#include <utility>

namespace troupe {

plan_order::plan_order(std::vector<plan_relations> plans)
    : relations_(std::move(plans)), dependents_(relations_.size()), states_(relations_.size()),
      activity_(relations_.size()) {
  for (std::uint32_t p = 0; p < relations_.size(); ++p)
    relate(p);
}

void plan_order::relate(std::uint32_t plan) {
  for (const auto on : relations_[plan].dependencies)
    dependents_[on].push_back(plan);
  changed_.insert(plan);
  count(plan, true);
}

void plan_order::add(plan_relations relations) {
  const auto plan = static_cast<std::uint32_t>(relations_.size());
  for (const auto other : relations.alternatives) {
    relations_[other].alternative_of = plan;
    changed_.insert(other);
  }
  relations_.push_back(std::move(relations));
  dependents_.emplace_back();
  states_.push_back(plan_state::pending);
  activity_.emplace_back();
  relate(plan);
}

void plan_order::set_state(std::uint32_t plan, plan_state state) {
  const auto from = states_[plan];
  if (from == state)
    return;
  count(plan, false);
  states_[plan] = state;
  count(plan, true);
  if (state == plan_state::pending)
    changed_.insert(plan);
  if (is_settled(from) || is_settled(state))
    for_each_dependent(plan, [&](std::uint32_t other) { changed_.insert(other); });
}

void plan_order::set_activity(std::uint32_t plan, const plan_activity& activity) {
  count(plan, false);
  activity_[plan] = activity;
  count(plan, true);
}

void plan_order::remove(std::uint32_t plan) {
  removed_.insert(plan);
}

void plan_order::replace_relations(std::vector<plan_relations> relations) {
  relations_ = std::move(relations);
  for (auto& each : dependents_)
    each.clear();
  for (std::uint32_t p = 0; p < relations_.size(); ++p)
    for (const auto on : relations_[p].dependencies)
      dependents_[on].push_back(p);
  look_at_all();
}

void plan_order::look_at_all() {
  for (std::uint32_t p = 0; p < relations_.size(); ++p)
    changed_.insert(changed_.end(), p);
}

void plan_order::count(std::uint32_t plan, bool is_in) {
  const auto add = [is_in](auto& sum, std::uint64_t value) {
    sum = is_in ? sum + value : sum - value;
  };
  const auto state = states_[plan];
  add(counts_.pending, state == plan_state::pending ? 1 : 0);
  if (!is_running(state))
    return;
  add(counts_.running, 1);
  add(counts_.blocked, state == plan_state::blocked ? 1 : 0);
  add(counts_.idle, state == plan_state::working && activity_[plan].idle ? 1 : 0);
  add(counts_.asking, activity_[plan].asking);
}

template<class Visit>
void plan_order::for_each_dependent(std::uint32_t plan, Visit visit) const {
  for (const auto other : dependents_[plan])
    visit(other);
  for (const auto other : relations_[plan].alternatives)
    visit(other);
  const auto primary = relations_[plan].alternative_of;
  if (!primary)
    return;
  for (const auto other : dependents_[*primary])
    visit(other);
  for (const auto other : relations_[*primary].alternatives)
    visit(other);
}

/// Whether `plan` or one of its alternatives has completed, can still complete, or cannot.
plan_order::prospect plan_order::prospect_of(std::uint32_t plan) const {
  ++looked_at_;
  if (states_[plan] == plan_state::completed)
    return prospect::met;
  bool open = !is_settled(states_[plan]);
  for (const auto other : relations_[plan].alternatives) {
    if (states_[other] == plan_state::completed)
      return prospect::met;
    // After a skip of the plan itself its alternatives do not start.
    open = open || (!is_settled(states_[other]) && states_[plan] != plan_state::skipped);
  }
  return open ? prospect::open : prospect::lost;
}

/// Whether an alternative's turn has come: met = start it, open = wait, lost = not needed any more.
plan_order::prospect plan_order::turn_of(std::uint32_t plan) const {
  const auto primary = *relations_[plan].alternative_of;
  if (states_[primary] == plan_state::completed || states_[primary] == plan_state::skipped)
    return prospect::lost;
  if (states_[primary] != plan_state::failed)
    return prospect::open;
  for (const auto other : relations_[primary].alternatives) {
    if (other == plan)
      return prospect::met;
    if (states_[other] == plan_state::completed)
      return prospect::lost;
    if (!is_settled(states_[other]))
      return prospect::open;
  }
  return prospect::open;
}

bool plan_order::may_be_met(std::uint32_t plan) const {
  return prospect_of(plan) != prospect::lost;
}

bool plan_order::is_met(std::uint32_t plan) const {
  return prospect_of(plan) == prospect::met;
}

bool plan_order::may_begin(std::uint32_t plan) const {
  std::string why_skipped;
  return may_begin(plan, why_skipped);
}

/// `why_skipped` stays empty unless the plan is not needed or cannot begin any more.
bool plan_order::may_begin(std::uint32_t plan, std::string& why_skipped) const {
  const auto turn = relations_[plan].alternative_of ? turn_of(plan) : prospect::met;
  if (turn == prospect::lost)
    why_skipped = "not needed";
  bool ready = turn == prospect::met;
  for (const auto other : relations_[plan].dependencies) {
    const auto hope = prospect_of(other);
    ready = ready && hope == prospect::met;
    if (hope == prospect::lost && why_skipped.empty())
      why_skipped = "a plan it depends on did not complete";
  }
  return ready && why_skipped.empty();
}

plan_steps plan_order::next(const std::function<bool(std::uint32_t)>& is_held) {
  plan_steps out;
  std::unordered_set<std::uint32_t> begun;
  // A skip may decide the fate of further plans. Those that come before it are looked at in the
  // next round.
  while (!changed_.empty()) {
    auto round = std::exchange(changed_, {});
    for (auto at = round.begin(); at != round.end(); ++at) {
      const auto plan = *at;
      ++looked_at_;
      if (states_[plan] != plan_state::pending || is_held(plan))
        continue;
      std::string why;
      if (may_begin(plan, why)) {
        if (begun.insert(plan).second)
          out.start.push_back(plan);
        continue;
      }
      if (why.empty())
        continue;
      out.skipped.push_back({plan, std::move(why)});
      set_state(plan, plan_state::skipped);
      const auto later = changed_.upper_bound(plan);
      round.insert(later, changed_.end());
      changed_.erase(later, changed_.end());
    }
  }
  if (relations_.size() > removed_.size() && counts_.running == 0 && counts_.pending == 0)
    out.outcome = outcome();
  return out;
}

/// Of plans that have all settled. Skipped plans decide nothing: either a client wanted it so, or
/// another plan has failed.
objective_state plan_order::outcome() const {
  for (std::uint32_t p = 0; p < relations_.size(); ++p)
    // The failure of an alternative counts as that of its primary, and is decided there.
    if (!removed_.contains(p) && !relations_[p].alternative_of && states_[p] == plan_state::failed
        && prospect_of(p) != prospect::met)
      return objective_state::failed;
  return objective_state::completed;
}

} // namespace troupe
