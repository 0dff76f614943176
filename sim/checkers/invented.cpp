#include "sim/checkers/checkers.hpp"

namespace troupe::sim {

namespace {

/// An artifact consists of the texts that agents reported, each of which ends with a semicolon.
verdict check_text(const history& seen, const std::string& task, std::string_view text) {
  while (!text.empty()) {
    const auto end = std::min(text.find(';'), text.size() - 1) + 1;
    const std::string chunk(text.substr(0, end));
    if (!seen.chunks.contains(chunk))
      return "task " + task + " shows \"" + chunk + "\", which no agent has reported";
    text.remove_prefix(end);
  }
  return std::nullopt;
}

verdict check_view(const history& seen, const task_view& shown) {
  // An answer by the id of a question, without a request id, gets one from the server.
  constexpr std::string_view made_here = "answer-";
  for (const auto& id : shown.messages)
    if (!seen.sent.contains(id) && !id.starts_with(made_here))
      return "task " + shown.id + " has message " + id + ", which was never sent";
  if (shown.artifacts)
    for (const auto& [id, text] : *shown.artifacts)
      if (auto wrong = check_text(seen, shown.id, text))
        return wrong;
  return std::nullopt;
}

/// Of objectives, plans and tasks, as they were shown and as they are in the journal.
verdict check_names(const history& seen) {
  for (const auto& [name, client] : seen.shown_names)
    if (!seen.names.contains(name))
      return "the name \"" + name + "\", which no client has given, was shown to " + client;
  for (const auto& [objective, facts] : seen.facts)
    for (const auto& each : facts) {
      const bool is_named = each.kind == fact_kind::plan_added || each.kind == fact_kind::task_added
                            || each.kind == fact_kind::task_renamed;
      if (is_named && !seen.names.contains(each.text))
        return "objective " + objective + " has the name \"" + each.text
               + "\" in its changes, which no client has given";
    }
  return std::nullopt;
}

} // namespace

verdict check_invented(const history& seen) {
  for (const auto& made : seen.calls)
    for (const auto& shown : made.tasks)
      if (auto wrong = check_view(seen, shown))
        return wrong;
  for (const auto& read : seen.streams)
    for (const auto& event : read.events)
      if (auto wrong = event.kind == event_kind::artifact ? check_text(seen, read.task, event.text)
                                                          : check_view(seen, event.task))
        return wrong;
  if (seen.rest)
    for (const auto& [id, shown] : *seen.rest)
      if (auto wrong = check_view(seen, shown))
        return wrong;
  return check_names(seen);
}

} // namespace troupe::sim
