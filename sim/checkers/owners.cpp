#include "sim/checkers/checkers.hpp"

namespace troupe::sim {

verdict check_owners(const history& seen) {
  for (const auto& each : seen.strange_reads)
    if (!each.got.empty())
      return "somebody else was shown " + each.got + " in answer to " + each.asked + " "
             + (each.of.empty() ? "" : "task " + each.of);
  if (!seen.leaks.empty())
    return "what belongs to somebody else was shown: " + seen.leaks.front();
  return std::nullopt;
}

} // namespace troupe::sim
