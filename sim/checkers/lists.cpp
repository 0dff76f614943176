#include <set>
#include <string>

#include "sim/checkers/checkers.hpp"

namespace troupe::sim {

verdict check_lists(const history& seen) {
  if (!seen.rest)
    return std::nullopt;
  for (const auto& [id, count] : seen.listed)
    if (count != 1)
      return "task " + id + " stands " + std::to_string(count) + " times in one list";
  std::set<std::string> begun;
  for (const auto& each : seen.attempts)
    begun.insert(each.task);
  for (const auto& [id, shown] : *seen.rest) {
    // Tasks of plans that never began are in no list.
    if ((begun.contains(id) || id.starts_with("task-")) && !seen.listed.contains(id))
      return "task " + id + " is in no page of the list";
  }
  return std::nullopt;
}

} // namespace troupe::sim
