#include <set>

#include "sim/checkers/checkers.hpp"

namespace troupe::sim {

verdict check_messages(const history& seen) {
  if (!seen.deduplicates)
    return std::nullopt;
  std::set<std::string> for_several; // One message that answers several tasks.
  for (const auto& made : seen.calls)
    if (made.kind == call_kind::answer_together)
      for_several.insert(made.message_id);
  std::map<std::string, std::string> taken; // Which task has the message.
  const auto take = [&](const std::string& message, const std::string& task) -> verdict {
    if (for_several.contains(message))
      return std::nullopt;
    const auto [at, is_new] = taken.emplace(message, task);
    if (is_new || at->second == task)
      return std::nullopt;
    return "message " + message + " is in task " + at->second + " and in task " + task;
  };
  if (seen.rest)
    for (const auto& [id, shown] : *seen.rest)
      for (const auto& message : shown.messages)
        if (auto wrong = take(message, id))
          return wrong;
  for (const auto& made : seen.calls)
    if (made.kind == call_kind::send && made.error == 0 && !made.tasks.empty())
      if (auto wrong = take(made.message_id, made.tasks.front().id))
        return wrong;
  return std::nullopt;
}

} // namespace troupe::sim
