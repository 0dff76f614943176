#include "sim/checkers/checkers.hpp"
#include "sim/checkers/journal_fold.hpp"

namespace troupe::sim {

namespace {

bool may_follow(const std::string& from, const std::string& to) {
  if (is_terminal(from))
    return false;
  if (is_terminal(to))
    return true;
  if (to == "TASK_STATE_WORKING")
    return true;
  return from == "TASK_STATE_WORKING"
         && (to == "TASK_STATE_INPUT_REQUIRED" || to == "TASK_STATE_AUTH_REQUIRED");
}

verdict check_all(const std::string& id, const std::vector<stream_event>& events,
                  const std::string& where, std::string state) {
  for (const auto& event : events) {
    if (event.kind == event_kind::artifact) {
      if (is_terminal(state))
        return "task " + id + " got an artifact after " + state + where;
      continue;
    }
    if (event.kind == event_kind::snapshot || event.task.state == state) {
      if (is_terminal(state) && event.task.state != state)
        return "task " + id + " went from " + state + " to " + event.task.state + where;
      state = event.task.state;
      continue;
    }
    if (!may_follow(state, event.task.state))
      return "task " + id + " went from " + state + " to " + event.task.state + where;
    state = event.task.state;
  }
  return std::nullopt;
}

} // namespace

verdict check_moves(const history& seen) {
  for (const auto& [id, journal] : seen.journal)
    if (auto wrong = check_all(id, journal, " in the journal", "TASK_STATE_SUBMITTED"))
      return wrong;
  for (const auto& read : seen.streams) {
    const auto from =
        fold(journal_of(seen, read.task), read.after.empty() ? first_place : place_of(read.after));
    if (auto wrong =
            check_all(read.task, read.events, " in a stream to " + read.client, from.state))
      return wrong;
  }
  return std::nullopt;
}

} // namespace troupe::sim
