// Objectives that live and do not end.
#pragma once

#include "bench/support/executor.hpp"

#include <cstddef>

namespace troupe::bench {

/// Starts `objectives` with one plan of `tasks` each, whose agent never answers; returns when all
/// tasks work. Throws wrong_result.
void start_live(executor& all, std::size_t objectives, std::size_t tasks);

} // namespace troupe::bench
