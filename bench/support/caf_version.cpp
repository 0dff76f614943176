// Alone in its file: the only thing the harness wants from CAF.
#include "bench/support/harness.hpp"

#include <caf/config.hpp>

namespace troupe::bench {

std::string caf_version() {
#ifdef CAF_VERSION_MAJOR
  return std::to_string(CAF_VERSION_MAJOR) + '.' + std::to_string(CAF_VERSION_MINOR) + '.'
         + std::to_string(CAF_VERSION_PATCH);
#else
  // CAF 0.x: one number, two decimal digits each.
  return std::to_string(CAF_VERSION / 10000) + '.' + std::to_string(CAF_VERSION / 100 % 100) + '.'
         + std::to_string(CAF_VERSION % 100);
#endif
}

} // namespace troupe::bench
