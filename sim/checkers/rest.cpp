#include "sim/checkers/checkers.hpp"

namespace troupe::sim {

verdict check_rest(const history& seen) {
  if (!seen.rest)
    return "the world did not come to rest";
  for (const auto& [id, shown] : *seen.rest)
    if (!is_terminal(shown.state))
      return "task " + id + " stays " + shown.state + " although everything was canceled";
  if (!seen.left_over.empty())
    return "when everything has ended, the server still counts " + seen.left_over;
  return std::nullopt;
}

} // namespace troupe::sim
