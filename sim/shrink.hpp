// Makes a failure small: leaves out what it does not need.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "sim/settings.hpp"

namespace troupe::sim {

struct shrunk {
  settings how;
  std::string sentence;       ///< Of the failure that is left.
  std::size_t runs = 0;       ///< That it took.
  std::size_t clients = 0;    ///< That do something.
  std::size_t operations = 0; ///< Of clients.
  std::size_t faults = 0;     ///< Kinds of faults that are left.
};

/// Leaves out kinds of faults and squeezed limits, then clients, then operations one by one, and
/// time and steps of agents, while the same checker fails. At most `runs_max` runs.
[[nodiscard]] shrunk shrink(const settings& failing, const std::string& checker,
                            std::size_t runs_max);

} // namespace troupe::sim
