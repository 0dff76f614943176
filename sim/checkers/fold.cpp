#include "sim/checkers/checkers.hpp"
#include "sim/checkers/journal_fold.hpp"

namespace troupe::sim {

verdict check_fold(const history& seen) {
  if (!seen.rest)
    return std::nullopt;
  for (const auto& [id, shown] : *seen.rest) {
    const auto kept = fold(journal_of(seen, id), last_place);
    if (kept.state != shown.state)
      return "task " + id + " is " + shown.state + ", and its changes lead to " + kept.state;
    if (shown.artifacts.value_or(std::map<std::string, std::string>{}) != kept.artifacts)
      return "task " + id + " has other artifacts than its changes lead to";
  }
  return std::nullopt;
}

} // namespace troupe::sim
