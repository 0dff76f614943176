// What can be left out of settings, to make a failure small.
#pragma once

#include <cstddef>
#include <vector>

#include "sim/settings.hpp"

namespace troupe::sim {

/// The same with one thing less: a kind of fault, a squeezed limit, some clients, some time.
[[nodiscard]] std::vector<settings> simpler(const settings& than);
/// How many kinds of faults happen.
[[nodiscard]] std::size_t kinds_of_faults(const settings& in);

} // namespace troupe::sim
