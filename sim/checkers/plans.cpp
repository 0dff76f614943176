#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "sim/checkers/at_once.hpp"
#include "sim/checkers/checkers.hpp"

namespace troupe::sim {

namespace {

using attempts = std::vector<const attempt*>;

verdict check_limit(const std::string& name, std::uint32_t parallel_max, const attempts& of) {
  const auto most = most_at_once(of);
  if (parallel_max == 0 || most <= parallel_max)
    return std::nullopt;
  return name + " ran " + std::to_string(most) + " tasks at once, and its maxParallel is "
         + std::to_string(parallel_max);
}

/// What clients may have changed of an objective.
struct edited_parts {
  std::map<std::string, std::set<std::string>> by_name; ///< Reasons of the changes that name it.
  std::set<std::string> without_limit; ///< Objectives with plans whose `maxParallel` was set.
  std::set<std::string> with_skips; ///< Objectives of which tasks that no change names are skipped.

  explicit edited_parts(const history& seen) {
    for (const auto& made : seen.calls) {
      if (!made.change || made.change->is_dry_run)
        continue;
      for (const auto& each : made.change->names)
        by_name[each].insert(made.change->reason);
      if (made.change->limits_plan)
        without_limit.insert(made.objective);
      if (made.change->skips_others)
        with_skips.insert(made.objective);
    }
  }
  [[nodiscard]] bool names(const std::string& task) const { return by_name.contains(task); }
};

bool had_completed(const attempts& of, moment when) {
  return std::ranges::any_of(of, [&](const attempt* before) {
    return before->completed != 0 && before->completed < when;
  });
}

verdict began_too_early(const attempt& early, const std::string& on) {
  return "task " + early.task + " (" + early.name + ") began before " + on
         + ", on which it depends, had completed";
}

using attempts_by_name = std::map<std::string, attempts>;

/// What depends on a task that no other change names, from when that was acknowledged.
verdict check_added(const history& seen, const edited_parts& edited,
                    const attempts_by_name& by_name) {
  const auto of = [&](const std::string& name) {
    const auto found = by_name.find(name);
    return found == by_name.end() ? attempts{} : found->second;
  };
  for (const auto& made : seen.calls) {
    if (!made.change || made.change->is_dry_run || made.ended == 0 || made.error != 0
        || edited.with_skips.contains(made.objective))
      continue;
    for (const auto& [task, on] : made.change->waiting) {
      if (edited.names(task) || edited.names(on))
        continue;
      for (const auto* each : of(task))
        if (each->began > made.ended && !had_completed(of(on), each->began))
          return began_too_early(*each, on);
    }
  }
  return std::nullopt;
}

/// What the changes of an objective lead to.
class shape {
  using place = std::pair<std::uint32_t, std::uint32_t>;

public:
  shape(const ordered_objective* ordered, bool is_moved) : ordered_(ordered), is_moved_(is_moved) {}

  verdict take(const objective_fact& fact) {
    const place at{fact.plan, fact.task};
    switch (fact.kind) {
      case fact_kind::plan_after: after_[fact.plan] = fact.others; break;
      case fact_kind::plan_added: names_[fact.plan] = fact.text; break;
      case fact_kind::plan_moved:
        plans_[fact.plan] = fact.text;
        if (fact.text == "failed")
          has_failed_once_.insert(names_[fact.plan]);
        break;
      case fact_kind::edge_added: waits_for_[at].insert(fact.on); break;
      case fact_kind::edge_removed: waits_for_[at].erase(fact.on); break;
      case fact_kind::task_removed: waits_for_.erase(at); break;
      case fact_kind::task_skipped: is_skipped_.insert(at); break;
      case fact_kind::task_renewed:
        if (is_skipped_.contains(at))
          note_in_line(at);
        ended_.erase(at);
        is_skipped_.erase(at);
        break;
      case fact_kind::task_ended: ended_[at] = fact.text; break;
      case fact_kind::task_begun: return check_begin(at);
      default: break;
    }
    return std::nullopt;
  }

private:
  [[nodiscard]] bool is_satisfied(const place& at) const {
    const auto end = ended_.find(at);
    return is_skipped_.contains(at) || (end != ended_.end() && end->second == "completed");
  }

  /// What waits for a slot has begun, and does not wait again when a skipped task is done after
  /// all.
  void note_in_line(const place& renewed) {
    for (const auto& [task, others] : waits_for_)
      if (task.first == renewed.first && others.contains(renewed.second)
          && std::ranges::all_of(others, [&](std::uint32_t on) {
               return is_satisfied({task.first, on});
             }))
        may_be_in_line_.insert(task);
  }

  verdict check_begin(const place& at) {
    const auto begin =
        "began task " + std::to_string(at.second) + " of plan " + std::to_string(at.first);
    if (ended_.contains(at))
      return begin + ", which had ended";
    for (const auto on : waits_for_[at]) {
      if (!is_satisfied({at.first, on}) && !may_be_in_line_.contains(at))
        return begin + " before task " + std::to_string(on) + ", for which it waits, had completed";
    }
    for (const auto on : after_[at.first])
      if (plans_[on] != "completed" && !has_completed_alternative(on))
        return begin + " before plan " + std::to_string(on) + " had completed";
    if (const auto first = first_of(at.first);
        first && !is_moved_ && !has_failed_once_.contains(*first))
      return begin + ", an alternative of plan " + *first + ", which had not failed";
    return std::nullopt;
  }

  /// The plan to which it is an alternative.
  [[nodiscard]] std::optional<std::string> first_of(std::uint32_t plan) {
    if (ordered_ != nullptr)
      for (const auto& each : ordered_->plans)
        if (std::ranges::find(each.alternatives, names_[plan]) != each.alternatives.end())
          return each.name;
    return std::nullopt;
  }
  [[nodiscard]] bool has_completed_alternative(std::uint32_t plan) {
    return std::ranges::any_of(plans_, [&](const auto& other) {
      return other.second == "completed" && first_of(other.first) == names_[plan];
    });
  }

  const ordered_objective* ordered_; ///< Null: it is not known.
  const bool is_moved_;              ///< By clients.
  std::map<std::uint32_t, std::string> names_;
  std::map<place, std::set<std::uint32_t>> waits_for_;
  std::map<place, std::string> ended_;
  std::set<place> is_skipped_;
  std::set<place> may_be_in_line_; ///< When a task for which they wait was done again.
  std::map<std::uint32_t, std::vector<std::uint32_t>> after_;
  std::set<std::string> has_failed_once_; ///< It may be tried again while its alternative runs.
  std::map<std::uint32_t, std::string> plans_;
};

/// The same in the order of the journal, with all changes.
verdict check_order(const history& seen) {
  std::set<std::string> moved;
  for (const auto& made : seen.calls)
    if (made.kind == call_kind::move)
      moved.insert(made.objective);
  for (const auto& [objective, facts] : seen.facts) {
    const auto ordered = std::ranges::find(seen.objectives, objective, &ordered_objective::id);
    shape now(ordered == seen.objectives.end() ? nullptr : &*ordered, moved.contains(objective));
    for (const auto& each : facts)
      if (auto wrong = now.take(each))
        return "objective " + objective + " " + *wrong;
  }
  return std::nullopt;
}

/// Objectives that were tried again, or plans of which were, after they had ended. They do not
/// count what was canceled before that and has yet to stop (docs/plans.md).
std::set<std::string> tried_again(const history& seen) {
  const std::set<std::string> ends{"completed", "failed", "skipped", "canceled"};
  std::set<std::string> out;
  for (const auto& [objective, facts] : seen.facts) {
    std::set<std::pair<fact_kind, std::uint32_t>> ended;
    for (const auto& each : facts) {
      if (each.kind != fact_kind::plan_moved && each.kind != fact_kind::moved)
        continue;
      if (ends.contains(each.text))
        ended.insert({each.kind, each.plan});
      else if (ended.contains({each.kind, each.plan}))
        out.insert(objective);
    }
  }
  return out;
}

using time_span = std::pair<moment, moment>;

/// From when to when something of an objective may have been tried again without a trace in the
/// journal: the process died before it answered. Attempts may have begun by then.
std::vector<time_span> lost_tries(const history& seen, const std::string& objective) {
  std::vector<time_span> out;
  for (const auto& made : seen.calls) {
    const bool may_try_again =
        made.change ? !made.change->is_dry_run : made.kind == call_kind::move;
    if (!may_try_again || made.objective != objective)
      continue;
    for (const auto died : seen.crashes)
      if (made.began < died && (made.ended == 0 || died < made.ended))
        out.emplace_back(made.began, died);
  }
  return out;
}

/// Adds those of a task that count.
void add_counted(const attempts& own, const std::vector<time_span>& lost, attempts& to) {
  std::ranges::copy_if(own, std::back_inserter(to), [&](const attempt* each) {
    return std::ranges::none_of(lost, [&](const time_span& span) {
      return span.first < each->began && each->began < span.second;
    });
  });
}

verdict check_ordered(const history& seen, const ordered_objective& objective,
                      const edited_parts& edited, bool was_tried_again, attempts_by_name& by_name) {
  const bool has_skips = edited.with_skips.contains(objective.id);
  const bool is_limited = !edited.without_limit.contains(objective.id) && !was_tried_again;
  const auto lost = lost_tries(seen, objective.id);
  attempts of_objective;
  for (const auto& plan : objective.plans) {
    attempts of_plan;
    for (const auto& task : plan.tasks) {
      const auto& own = by_name[task.name];
      add_counted(own, lost, of_plan);
      for (const auto& on : task.dependencies)
        if (!has_skips && !edited.names(task.name) && !edited.names(on))
          for (const auto* each : own)
            if (!had_completed(by_name[on], each->began))
              return began_too_early(*each, on);
    }
    if (is_limited)
      if (auto wrong = check_limit("plan " + plan.name, plan.parallel_max, of_plan))
        return wrong;
    of_objective.insert(of_objective.end(), of_plan.begin(), of_plan.end());
  }
  return was_tried_again
             ? std::nullopt
             : check_limit("objective " + objective.id, objective.parallel_max, of_objective);
}

} // namespace

verdict check_plans(const history& seen) {
  attempts_by_name by_name;
  for (const auto& each : seen.attempts)
    if (!each.name.empty())
      by_name[each.name].push_back(&each);
  const edited_parts edited(seen);
  const auto again = tried_again(seen);
  for (const auto& objective : seen.objectives)
    if (auto wrong = check_ordered(seen, objective, edited, again.contains(objective.id), by_name))
      return wrong;
  if (auto wrong = check_added(seen, edited, by_name))
    return wrong;
  return check_order(seen);
}

} // namespace troupe::sim
