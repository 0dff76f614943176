// A plain model of a task, a plan and an objective: what agents report leads to one end. It
// predicts the end of each in a world whose process never died.
#include <algorithm>
#include <limits>
#include <set>

#include "sim/checkers/checkers.hpp"
#include "sim/checkers/journal_fold.hpp"

namespace troupe::sim {

namespace {

constexpr int plan_attempts_max = 2; // As the clients ask for.

/// A task, told attempt by attempt what its agent does.
class task_model {
public:
  /// False: there must not be another attempt. From `until` on everything is canceled; an agent
  /// that reports then may be too late or not.
  bool take(const attempt& next, moment until) {
    if (is_terminal(state_) || (!next.goes_on && failures_ < ++begun_ - 1))
      return false;
    state_ = "TASK_STATE_WORKING";
    is_late_ = next.reported >= until;
    for (const auto& made : next.made) {
      is_late_ = is_late_ || made.at >= until;
      if (made.at < until)
        result_.apply(made);
    }
    if (is_late_)
      return true;
    if (next.report == "completed")
      state_ = "TASK_STATE_COMPLETED";
    else if (next.report == "rejected")
      state_ = "TASK_STATE_REJECTED";
    else if (next.report == "failed for good")
      state_ = "TASK_STATE_FAILED";
    else if (next.report == "failed" && ++failures_ == (next.is_lone ? 1 : plan_attempts_max))
      state_ = "TASK_STATE_FAILED";
    return true;
  }
  /// What goes on is canceled at the end of the world.
  [[nodiscard]] std::string end() const {
    return is_terminal(state_) ? state_ : "TASK_STATE_CANCELED";
  }
  [[nodiscard]] const std::map<std::string, std::string>& artifacts() const {
    return result_.artifacts;
  }
  [[nodiscard]] bool is_late() const { return is_late_; }

private:
  std::string state_ = "TASK_STATE_SUBMITTED";
  folded_task result_;
  int begun_ = 0;
  int failures_ = 0;
  bool is_late_ = false;
};

/// What clients ended or held up themselves.
struct interference {
  std::set<std::string> tasks;
  std::set<std::string> objectives;

  explicit interference(const history& seen) {
    for (const auto& made : seen.calls) {
      if (made.kind == call_kind::cancel)
        tasks.insert(made.task);
      if (made.kind == call_kind::move || made.kind == call_kind::change)
        objectives.insert(made.objective);
    }
    for (const auto& [objective, deadlines] : seen.deadlines)
      objectives.insert(objective);
    // A task whose question is declined may fail for that.
    for (const auto& [question, facts] : seen.questions)
      if (std::ranges::any_of(facts, &question_fact::declines))
        tasks.insert(question.substr(0, question.rfind('.')));
  }
  [[nodiscard]] bool touches(const std::string& task) const {
    return tasks.contains(task) || objectives.contains(task.substr(0, objective_end(task)));
  }
  /// "c0.o1.p0.t0" is of objective "c0.o1".
  static std::size_t objective_end(const std::string& task) {
    const auto first = task.find('.');
    return first == std::string::npos ? first : task.find('.', first + 1);
  }
};

using task_models = std::map<std::string, task_model>; ///< By id.

verdict check_ends(const history& seen, const interference& by_clients, task_models& models) {
  const auto until = seen.waiting_at == 0 ? std::numeric_limits<moment>::max() : seen.waiting_at;
  for (const auto& each : seen.attempts)
    if (seen.rest->contains(each.task) && !models[each.task].take(each, until)
        && !by_clients.touches(each.task))
      return "task " + each.task + " was tried again, attempt " + std::to_string(each.number)
             + ", after what should have been its end";
  for (const auto& [id, model] : models) {
    const auto found = seen.rest->find(id);
    if (found == seen.rest->end() || by_clients.touches(id) || model.is_late())
      continue;
    const auto& shown = found->second;
    if (shown.state != model.end())
      return "task " + id + " ends as " + shown.state + ", and what its agents reported leads to "
             + model.end();
    if (shown.artifacts.value_or(std::map<std::string, std::string>{}) != model.artifacts())
      return "task " + id + " ends with other artifacts than its agents reported";
  }
  return std::nullopt;
}

/// Whether the task asks, and nothing runs until the answer: it needs no slot.
bool only_asks(const history& seen, const task_view& shown) {
  const attempt* last = nullptr;
  for (const auto& each : seen.attempts)
    if (each.task == shown.id && each.began < seen.waiting_at)
      last = &each;
  return last != nullptr && last->asks && shown.state == "TASK_STATE_INPUT_REQUIRED";
}

/// Whether nothing of the objective ran when faults had ended for a while.
bool was_quiet(const history& seen, const std::string& objective) {
  return std::ranges::none_of(seen.waiting, [&](const auto& each) {
    return each.first.starts_with(objective + ".") && !is_terminal(each.second.state)
           && !only_asks(seen, each.second);
  });
}

verdict check_starts(const history& seen, const interference& by_clients) {
  std::set<std::string> begun;
  std::set<std::string> completed;
  for (const auto& each : seen.attempts) {
    begun.insert(each.name);
    if (each.report == "completed")
      completed.insert(each.name);
    if (by_clients.tasks.contains(each.task)) // It may have been canceled as it completed.
      completed.erase(each.name);
  }
  for (const auto& objective : seen.objectives) {
    if (by_clients.objectives.contains(objective.id) || !was_quiet(seen, objective.id))
      continue;
    for (const auto& plan : objective.plans) {
      const bool has_begun = std::ranges::any_of(
          plan.tasks, [&](const ordered_task& task) { return begun.contains(task.name); });
      if (!has_begun)
        continue; // It may have been refused.
      for (const auto& task : plan.tasks)
        if (!begun.contains(task.name)
            && std::ranges::all_of(task.dependencies,
                                   [&](const std::string& on) { return completed.contains(on); }))
          return "in plan " + plan.name + " " + task.name
                 + " never began, although nothing ran and what it depends on had completed";
    }
  }
  return std::nullopt;
}

/// Whether everything of the objective had ended by then.
bool had_ended(const history& seen, const std::string& objective) {
  return std::ranges::none_of(seen.waiting, [&](const auto& each) {
    return each.first.starts_with(objective + ".") && !is_terminal(each.second.state);
  });
}

/// How a plan ends whose tasks nobody has touched. Empty: that cannot be said.
std::string end_of_plan(const shown_plan& plan, const task_models& models) {
  bool has_begun = false;
  bool all_completed = true;
  for (const auto& task : plan.tasks) {
    const auto model = models.find(task.id);
    if (model == models.end()) {
      all_completed = false;
      continue;
    }
    if (model->second.is_late())
      return {};
    has_begun = true;
    all_completed = all_completed && model->second.end() == "TASK_STATE_COMPLETED";
  }
  return all_completed ? "completed" : has_begun ? "failed" : "skipped";
}

bool stands_for_another(const ordered_objective& in, const std::string& plan) {
  return std::ranges::any_of(in.plans, [&](const ordered_plan& each) {
    return std::ranges::find(each.alternatives, plan) != each.alternatives.end();
  });
}

/// Plans end as their tasks do. An objective fails if a plan has failed and none of its
/// alternatives has completed (docs/objectives.md); a skipped plan does not count.
verdict check_objective_end(const ordered_objective& ordered, const shown_objective& shown,
                            const task_models& models) {
  std::map<std::string, std::string> ends;
  for (const auto& plan : shown.plans) {
    const auto end = end_of_plan(plan, models);
    if (end.empty())
      return std::nullopt;
    if (plan.state != end)
      return "plan " + plan.id + " ends as " + plan.state + ", and what its tasks did leads to "
             + end;
    ends[plan.name] = end;
  }
  const auto has_completed = [&](const std::string& plan) {
    const auto found = ends.find(plan);
    return found != ends.end() && found->second == "completed";
  };
  const bool is_completed = std::ranges::all_of(ordered.plans, [&](const ordered_plan& plan) {
    return !ends.contains(plan.name) || stands_for_another(ordered, plan.name)
           || ends.at(plan.name) != "failed"
           || std::ranges::any_of(plan.alternatives, has_completed);
  });
  const std::string end = is_completed ? "completed" : "failed";
  if (shown.state != end)
    return "objective " + shown.id + " ends as " + shown.state
           + ", and what its plans did leads to " + end;
  return std::nullopt;
}

verdict check_wholes(const history& seen, const interference& by_clients,
                     const task_models& models) {
  for (const auto& shown : seen.ends) {
    const auto ordered = std::ranges::find(seen.objectives, shown.id, &ordered_objective::id);
    const bool is_touched = std::ranges::any_of(by_clients.tasks, [&](const std::string& task) {
      return task.starts_with(shown.id + ".");
    });
    if (ordered == seen.objectives.end() || by_clients.objectives.contains(shown.id) || is_touched
        || !had_ended(seen, shown.id))
      continue;
    if (auto wrong = check_objective_end(*ordered, shown, models))
      return wrong;
  }
  return std::nullopt;
}

} // namespace

verdict check_model(const history& seen) {
  // The starts at the very end change nothing any more.
  const bool has_died = std::ranges::any_of(
      seen.crashes, [&](moment at) { return seen.waiting_at == 0 || at < seen.waiting_at; });
  if (!seen.rest || has_died)
    return std::nullopt;
  const interference by_clients(seen);
  task_models models;
  if (auto wrong = check_ends(seen, by_clients, models))
    return wrong;
  if (auto wrong = check_starts(seen, by_clients))
    return wrong;
  return check_wholes(seen, by_clients, models);
}

} // namespace troupe::sim
