#include <algorithm>

#include "sim/checkers/checkers.hpp"

namespace troupe::sim {

verdict check_same(const history& seen) {
  if (!seen.rest)
    return std::nullopt;
  const std::map<std::string, std::string> nothing;
  for (const auto& [how, shown] : seen.readings) {
    const auto found = seen.rest->find(shown.id);
    if (found == seen.rest->end())
      return "task " + shown.id + " is in " + how + ", and GetTask does not know it";
    const auto& task = found->second;
    const auto begin = "task " + shown.id + ", as it is read in " + how + ", ";
    if (task.state != shown.state)
      return begin + "is " + shown.state + ", and in 1.0 over JSON-RPC " + task.state;
    if (how.starts_with("objective "))
      continue; // It shows states alone.
    if (task.artifacts.value_or(nothing) != shown.artifacts.value_or(nothing))
      return begin + "has other artifacts than in 1.0 over JSON-RPC";
    if (task.messages != shown.messages)
      return begin + "has other messages than in 1.0 over JSON-RPC";
  }
  return std::nullopt;
}

} // namespace troupe::sim
