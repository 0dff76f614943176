// Runs the worlds of seeds, or that of a file, and says which of them fail and how to repeat them.
#pragma once

#include "sim/command_line.hpp"

namespace troupe::sim {

/// The code to end with.
[[nodiscard]] int run_seeds(const options& how);

} // namespace troupe::sim
