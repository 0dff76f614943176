// Makes a failure small: leaves out what it does not need.
#pragma once

#include <cstddef>
#include <string>

#include "sim/settings.hpp"

namespace troupe::sim {

struct shrunk {
  settings how;
  std::string sentence;       ///< Of the failure that is left; empty: it did not come again.
  std::size_t runs = 0;       ///< That it took.
  std::size_t clients = 0;    ///< That do something.
  std::size_t operations = 0; ///< Of clients.
  std::size_t faults = 0;     ///< Kinds of faults that are left.
};

/// Leaves out kinds of faults, squeezed limits, users, steps of agents and time, then clients and
/// their operations, while the same checker fails. At most `runs_max` runs.
[[nodiscard]] shrunk shrink(const settings& failing, const std::string& checker,
                            std::size_t runs_max);

/// The settings that are left, with the sentence of `checker` before them.
[[nodiscard]] std::string text_of(const shrunk& small, const std::string& checker);
/// The line that says how much is left.
[[nodiscard]] std::string sizes_of(const shrunk& small);

} // namespace troupe::sim
