// What has not ended by its deadline fails, and nothing fails for it before.
#include <algorithm>
#include <set>
#include <string_view>

#include "sim/checkers/checkers.hpp"
#include "sim/checkers/deadline_time.hpp"

namespace troupe::sim {

namespace {

/// Graces, slow disks and starts are over by then, in milliseconds.
constexpr std::int64_t takes_most = 45'000;

verdict check_fact(const history& seen, const std::string& objective, const objective_fact& fact) {
  const auto deadline = deadline_in(fact.reason);
  if (deadline.empty())
    return std::nullopt;
  const auto begin =
      "objective " + objective + " has something that failed for its deadline, " + deadline + ", ";
  const auto asked = seen.deadlines.find(objective);
  if (asked == seen.deadlines.end() || !asked->second.contains(deadline))
    return begin + "which nobody asked for";
  // What is told of it later may be told at an earlier time of day.
  if (!seen.has_clock_jumps && fact.at < milliseconds_of(deadline))
    return begin + "before it";
  const bool is_end = fact.kind == fact_kind::moved || fact.kind == fact_kind::plan_moved
                      || fact.kind == fact_kind::task_ended;
  if (is_end && fact.text == "completed")
    return begin + "and is " + fact.text;
  return std::nullopt;
}

/// Objectives whose deadlines may have been changed, or that were tried again and lost them.
std::set<std::string> changed_by_clients(const history& seen) {
  std::set<std::string> out;
  for (const auto& made : seen.calls)
    if (made.kind == call_kind::move || made.kind == call_kind::change)
      out.insert(made.objective);
  return out;
}

bool has_ended(const std::string& state) {
  return state == "completed" || state == "failed" || state == "canceled" || state == "skipped";
}

bool is_over(const history& seen, const std::string& deadline) {
  return !deadline.empty() && milliseconds_of(deadline) + takes_most < seen.stood_at;
}

verdict check_stood(const history& seen, const ordered_objective& ordered,
                    const shown_objective& shown) {
  const auto late = [](const std::string& of, const std::string& state) {
    return of + " is " + state + " long after its deadline";
  };
  if (is_over(seen, ordered.deadline) && !has_ended(shown.state))
    return late("objective " + shown.id, shown.state);
  for (const auto& plan : shown.plans) {
    const auto own = std::ranges::find(ordered.plans, plan.name, &ordered_plan::name);
    if (own == ordered.plans.end() || has_ended(plan.state))
      continue;
    if (is_over(seen, own->deadline))
      return late("plan " + plan.id, plan.state);
    if (plan.state != "working")
      continue;
    for (std::size_t i = 0; i < own->tasks.size(); ++i) {
      const auto found = seen.waiting.find(plan.id + ".t" + std::to_string(i));
      if (found != seen.waiting.end() && is_over(seen, own->tasks[i].deadline)
          && !is_terminal(found->second.state))
        return late("task " + found->first, found->second.state);
    }
  }
  return std::nullopt;
}

} // namespace

verdict check_deadlines(const history& seen) {
  for (const auto& [objective, facts] : seen.facts)
    for (const auto& fact : facts)
      if (auto wrong = check_fact(seen, objective, fact))
        return wrong;
  const auto changed = changed_by_clients(seen);
  for (const auto& shown : seen.stood) {
    const auto ordered = std::ranges::find(seen.objectives, shown.id, &ordered_objective::id);
    if (ordered == seen.objectives.end() || changed.contains(shown.id))
      continue;
    if (auto wrong = check_stood(seen, *ordered, shown))
      return wrong;
  }
  return std::nullopt;
}

} // namespace troupe::sim
