#include <algorithm>
#include <set>

#include "sim/checkers/checkers.hpp"

namespace troupe::sim {

namespace {

using attempts = std::vector<const attempt*>;

bool is_running(const attempts& of, moment at) {
  return std::ranges::any_of(of, [&](const attempt* each) {
    return each->began < at && (each->ended == 0 || each->ended > at)
           && (each->reported == 0 || each->reported > at);
  });
}

/// "c0.o1" of "c0.o1.p0.t0".
std::string objective_of(const std::string& task) {
  return task.substr(0, task.find('.', task.find('.') + 1));
}

/// Objectives whose tasks may wait: for a slot, or for a client who held them up.
std::set<std::string> busy_objectives(const history& seen,
                                      const std::map<std::string, attempts>& of_task) {
  std::set<std::string> out;
  for (const auto& made : seen.calls)
    if (made.kind == call_kind::move || made.kind == call_kind::change)
      out.insert(made.objective);
  for (const auto& [id, all] : of_task)
    if (is_running(all, seen.waiting_at))
      out.insert(objective_of(id));
  for (const auto& [id, shown] : seen.waiting)
    if (shown.state == "TASK_STATE_INPUT_REQUIRED")
      out.insert(objective_of(id));
  return out;
}

} // namespace

verdict check_still(const history& seen) {
  std::map<std::string, attempts> of_task;
  for (const auto& each : seen.attempts)
    of_task[each.task].push_back(&each);
  const auto busy = busy_objectives(seen, of_task);
  for (const auto& [id, shown] : seen.waiting) {
    const bool is_lone = id.starts_with("task-");
    if (!is_lone && busy.contains(objective_of(id)))
      continue;
    const bool goes_on =
        shown.state == "TASK_STATE_WORKING" || (shown.state == "TASK_STATE_SUBMITTED" && is_lone);
    if (goes_on && !is_running(of_task[id], seen.waiting_at))
      return "task " + id + " stays " + shown.state + ", and no agent works for it";
  }
  return std::nullopt;
}

} // namespace troupe::sim
