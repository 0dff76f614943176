// Changes of plans and objectives: which were made, how often, and on what they rest.
#include <algorithm>

#include "sim/checkers/checkers.hpp"

namespace troupe::sim {

namespace {

using revisions = std::vector<shown_revision>;

/// Null: the store keeps no history, or the objective is not known.
const revisions* history_of(const history& seen, const std::string& id) {
  const auto found = seen.revisions.find(id);
  return found == seen.revisions.end() ? nullptr : &found->second;
}

std::string number_text(std::uint64_t revision) {
  return std::to_string(revision);
}

verdict check_gaps(const shown_objective& shown, const revisions& all) {
  auto next = shown.revision;
  for (const auto& each : all)
    if (each.revision != next--)
      return "objective " + shown.id + " has revision " + number_text(each.revision)
             + " where its history should have " + number_text(next + 1);
  if (next != 0)
    return "the history of objective " + shown.id + " ends above revision " + number_text(next);
  return std::nullopt;
}

verdict check_plan_history(const shown_plan& plan, const revisions& all,
                           const revisions& of_objective) {
  if (all.empty() || all.front().revision != plan.revision)
    return "plan " + plan.id + " has revision " + number_text(plan.revision)
           + ", and its history does not end there";
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0 && all[i].revision >= all[i - 1].revision)
      return "the history of plan " + plan.id + " is not in order";
    const auto whole = std::ranges::find(of_objective, all[i].revision, &shown_revision::revision);
    if (whole == of_objective.end() || whole->reason != all[i].reason)
      return "revision " + number_text(all[i].revision) + " of plan " + plan.id
             + " is another one in the history of its objective";
  }
  return std::nullopt;
}

std::string change_name(const call& made) {
  return "change " + made.change->reason + " of " + made.change->target;
}

bool is_acknowledged(const call& made) {
  return made.ended != 0 && made.error == 0 && !made.change->is_dry_run;
}

/// Nothing of it can have happened.
bool is_refused(const call& made) {
  constexpr int internal = -32603;
  return made.change->is_dry_run
         || (made.ended != 0 && made.error < 0 && made.error != internal && made.tries == 1);
}

/// `made`: all calls of one request.
verdict check_request(const std::vector<const call*>& made, const revisions& all) {
  const auto& first = *made.front();
  const auto count = std::ranges::count(all, first.change->reason, &shown_revision::reason);
  if (count > 1)
    return change_name(first) + " was made " + std::to_string(count) + " times";
  if (count == 1 && std::ranges::all_of(made, [](const call* each) { return is_refused(*each); }))
    return change_name(first) + " was refused or only tried, and is in the history";
  for (const auto* each : made) {
    if (!is_acknowledged(*each))
      continue;
    const auto found = std::ranges::find(all, each->change->reason, &shown_revision::reason);
    if (found == all.end())
      return change_name(*each) + " was acknowledged, and is not in the history";
    if (found->revision != each->change->revision)
      return change_name(*each) + " was acknowledged as revision "
             + number_text(each->change->revision.value_or(0)) + ", and is revision "
             + number_text(found->revision);
  }
  return std::nullopt;
}

/// What rests on a revision was made right on that.
verdict check_base(const call& made, const revisions& of_target) {
  const auto found = std::ranges::find(of_target, made.change->reason, &shown_revision::reason);
  if (!made.change->if_revision || found == of_target.end())
    return std::nullopt;
  const auto before = std::next(found);
  const auto base = before == of_target.end() ? 0 : before->revision;
  if (base == *made.change->if_revision)
    return std::nullopt;
  return change_name(made) + " was made on revision " + number_text(base)
         + ", and was for revision " + number_text(*made.change->if_revision);
}

/// Requests with one id are one request.
verdict check_ids(const history& seen) {
  std::map<std::string, const call*> first;
  for (const auto& made : seen.calls) {
    if (!made.change || made.change->request_id.empty() || !is_acknowledged(made))
      continue;
    const auto* const before = first.emplace(made.change->request_id, &made).first->second;
    if (before->change->reason != made.change->reason)
      return change_name(made) + " has the request id of " + change_name(*before)
             + ", and both were acknowledged";
    if (before->change->revision != made.change->revision)
      return change_name(made) + " came again, and was acknowledged as another revision";
  }
  return std::nullopt;
}

} // namespace

verdict check_revisions(const history& seen) {
  std::map<std::string, std::vector<const call*>> requests; // By their reasons.
  for (const auto& made : seen.calls)
    if (made.change)
      requests[made.change->reason].push_back(&made);
  for (const auto& shown : seen.ends) {
    const auto* const all = history_of(seen, shown.id);
    if (all == nullptr)
      continue;
    if (auto wrong = check_gaps(shown, *all))
      return wrong;
    for (const auto& plan : shown.plans)
      if (const auto* const own = history_of(seen, plan.id))
        if (auto wrong = check_plan_history(plan, *own, *all))
          return wrong;
  }
  // An id is kept for a while, and that may be over when the time of day is set.
  if (seen.has_clock_jumps)
    return std::nullopt;
  for (const auto& [reason, made] : requests) {
    const auto* const all = history_of(seen, made.front()->objective);
    if (all == nullptr)
      continue;
    if (auto wrong = check_request(made, *all))
      return wrong;
    if (const auto* const own = history_of(seen, made.front()->change->target))
      if (auto wrong = check_base(*made.front(), *own))
        return wrong;
  }
  return check_ids(seen);
}

} // namespace troupe::sim
