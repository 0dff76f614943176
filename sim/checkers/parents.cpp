// States of objectives and plans agree with those of their tasks, when everything has ended.
#include <algorithm>
#include <set>

#include "sim/checkers/checkers.hpp"

namespace troupe::sim {

namespace {

/// Objectives whose states clients have set: those need not follow from their tasks.
std::set<std::string> moved_by_clients(const history& seen) {
  std::set<std::string> out;
  for (const auto& made : seen.calls)
    if (made.kind == call_kind::move)
      out.insert(made.objective);
  return out;
}

bool is_one(const std::string& state, std::initializer_list<std::string_view> of) {
  return std::ranges::find(of, state) != of.end();
}

/// `may_fail`: also if its last task has completed meanwhile.
verdict check_plan(const shown_plan& plan, bool is_free, bool may_fail) {
  const auto begin = "plan " + plan.id + " is " + plan.state;
  if (!is_one(plan.state, {"completed", "failed", "skipped"}))
    return begin + " although its objective has ended";
  for (const auto& task : plan.tasks) {
    const auto of_task = begin + ", and its task " + task.id + " is " + task.state;
    if (!is_one(task.state, {"completed", "failed", "canceled", "rejected", "skipped", "pending"}))
      return of_task;
    if (task.state == "pending" && plan.state != "skipped")
      return of_task;
    if (plan.state == "completed" && is_free && !is_one(task.state, {"completed", "skipped"}))
      return of_task;
  }
  if (is_free && !may_fail && plan.state == "failed" && !plan.tasks.empty()
      && std::ranges::all_of(plan.tasks, [](const shown_task& task) {
           return is_one(task.state, {"completed", "skipped"});
         }))
    return begin + ", and all its tasks are completed";
  return std::nullopt;
}

/// Whether a plan has completed that is an alternative of `failed`, or to which `failed` is one.
bool alternative_completed(const history& seen, const shown_objective& shown,
                           const shown_plan& failed) {
  const auto ordered = std::ranges::find(seen.objectives, shown.id, &ordered_objective::id);
  if (ordered == seen.objectives.end())
    return false;
  const auto completed = [&](const std::string& name) {
    return std::ranges::any_of(shown.plans, [&](const shown_plan& plan) {
      return plan.name == name && plan.state == "completed";
    });
  };
  return std::ranges::any_of(ordered->plans, [&](const ordered_plan& plan) {
    const auto& others = plan.alternatives;
    const bool is_one =
        plan.name == failed.name || std::ranges::find(others, failed.name) != others.end();
    return is_one && (completed(plan.name) || std::ranges::any_of(others, completed));
  });
}

verdict check_objective(const history& seen, const shown_objective& shown, bool is_free) {
  const auto begin = "objective " + shown.id + " is " + shown.state;
  if (!is_one(shown.state, {"completed", "failed", "canceled"}))
    return begin + " although everything was canceled";
  // It may pass while the last task ends.
  const bool has_deadline = seen.deadlines.contains(shown.id);
  // A slot that becomes free by a cancel may let a task begin before its plan hears of the cancel.
  const bool may_fail = has_deadline || shown.state == "canceled";
  for (const auto& plan : shown.plans) {
    if (auto wrong = check_plan(plan, is_free, may_fail))
      return wrong;
    if (is_free && shown.state == "completed" && plan.state == "failed"
        && !alternative_completed(seen, shown, plan))
      return begin + ", and its plan " + plan.id + " is " + plan.state;
  }
  const auto is_completed = [](const shown_plan& plan) { return plan.state == "completed"; };
  if (is_free && !has_deadline && shown.state == "failed"
      && std::ranges::all_of(shown.plans, is_completed))
    return begin + ", and all its plans are completed";
  return std::nullopt;
}

/// The last states in the journal are those that are shown.
verdict check_last_states(const history& seen, const shown_objective& shown) {
  const auto facts = seen.facts.find(shown.id);
  if (facts == seen.facts.end())
    return std::nullopt;
  std::string state;
  std::map<std::uint32_t, std::string> plans;
  std::map<std::string, std::uint32_t> places;
  for (const auto& each : facts->second) {
    if (each.kind == fact_kind::moved)
      state = each.text;
    else if (each.kind == fact_kind::plan_moved)
      plans[each.plan] = each.text;
    else if (each.kind == fact_kind::plan_added)
      places[each.text] = each.plan;
  }
  if (!state.empty() && state != shown.state)
    return "objective " + shown.id + " is " + shown.state + ", and its changes lead to " + state;
  for (const auto& plan : shown.plans) {
    const auto place = places.find(plan.name);
    if (place == places.end() || !plans.contains(place->second))
      continue;
    if (plans[place->second] != plan.state)
      return "plan " + plan.id + " is " + plan.state + ", and its changes lead to "
             + plans[place->second];
  }
  return std::nullopt;
}

} // namespace

verdict check_parents(const history& seen) {
  const auto moved = moved_by_clients(seen);
  for (const auto& shown : seen.ends) {
    if (auto wrong = check_objective(seen, shown, !moved.contains(shown.id)))
      return wrong;
    if (auto wrong = check_last_states(seen, shown))
      return wrong;
  }
  return std::nullopt;
}

} // namespace troupe::sim
