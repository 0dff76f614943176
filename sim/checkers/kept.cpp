#include <algorithm>

#include "sim/checkers/checkers.hpp"
#include "sim/checkers/journal_fold.hpp"

namespace troupe::sim {

namespace {

bool has_status(const std::vector<stream_event>& journal, const task_view& shown) {
  return shown.state == "TASK_STATE_SUBMITTED"
         || std::ranges::any_of(journal, [&](const stream_event& event) {
              return event.kind == event_kind::status && event.task.state == shown.state;
            });
}

/// Whether the artifact ever had this text.
bool had_text(const std::vector<stream_event>& journal, const std::string& artifact,
              const std::string& text) {
  folded_task now;
  return std::ranges::any_of(journal, [&](const stream_event& event) {
    now.apply(event);
    const auto at = now.artifacts.find(artifact);
    return at != now.artifacts.end() && at->second == text;
  });
}

verdict check_view(const history& seen, const task_view& shown, const std::string& where) {
  const auto rest = seen.rest->find(shown.id);
  const auto begin = "task " + shown.id + ", which " + where;
  if (rest == seen.rest->end())
    return begin + ", is gone";
  if (is_terminal(shown.state) && rest->second.state != shown.state)
    return begin + " as " + shown.state + ", is " + rest->second.state + " at the end";
  const auto& journal = journal_of(seen, shown.id);
  if (!has_status(journal, shown))
    return begin + " as " + shown.state + ", never was in that state as far as is kept";
  if (shown.artifacts)
    for (const auto& [id, text] : *shown.artifacts)
      if (!had_text(journal, id, text))
        return begin + " with an artifact \"" + id + "\" of text \"" + text
               + "\", never had it as far as is kept";
  return std::nullopt;
}

/// A message that was taken stands in the history of its task.
verdict check_message(const history& seen, const call& made) {
  if (made.message_id.empty() || made.tasks.empty())
    return std::nullopt;
  const auto rest = seen.rest->find(made.tasks.front().id);
  if (rest == seen.rest->end()
      || std::ranges::find(rest->second.messages, made.message_id) != rest->second.messages.end())
    return std::nullopt;
  return "message " + made.message_id + " of " + made.client
         + ", which was acknowledged, is not in " + "task " + rest->first;
}

} // namespace

verdict check_kept(const history& seen) {
  if (!seen.rest)
    return std::nullopt;
  for (const auto& made : seen.calls) {
    if (made.ended == 0 || made.error != 0)
      continue;
    for (const auto& shown : made.tasks)
      if (auto wrong = check_view(seen, shown, "was shown to " + made.client))
        return wrong;
    if (auto wrong = check_message(seen, made))
      return wrong;
  }
  for (const auto& read : seen.streams)
    for (const auto& event : read.events) {
      auto shown = event.task;
      shown.id = read.task;
      if (event.kind == event_kind::artifact)
        continue; // check_streams has them.
      if (auto wrong = check_view(seen, shown, "was streamed to " + read.client))
        return wrong;
    }
  return std::nullopt;
}

} // namespace troupe::sim
