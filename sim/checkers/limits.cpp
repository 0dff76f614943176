#include "sim/checkers/checkers.hpp"

namespace troupe::sim {

verdict check_limits(const history& seen) {
  if (!seen.over_limit.empty())
    return "the server has counted " + seen.over_limit;
  return std::nullopt;
}

} // namespace troupe::sim
