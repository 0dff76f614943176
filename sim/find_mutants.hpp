// Which seed finds each planted bug.
#pragma once

#include "sim/command_line.hpp"

namespace troupe::sim {

/// Prints the rows of the table of docs/simulation.md; with several jobs as they are found. The
/// code to end with.
[[nodiscard]] int find_mutants(const options& how);

} // namespace troupe::sim
