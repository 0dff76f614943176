// The named limits of this room: what happens at each stands beside it.
#pragma once

#include <cstddef>

namespace troupe {

/// Plans of one objective; more are refused (errc::limit_exceeded). Deciding what starts next looks at all plans.
inline constexpr std::size_t plans_per_objective_max = 10'000;
/// Tasks of one plan; more are refused (errc::limit_exceeded). A million takes about 1 GB while it runs.
inline constexpr std::size_t tasks_per_plan_max = 1'000'000;

/// Tasks a plan spawns in one go before it lets others have a turn: a wide plan does not hold up a narrow one, and the scheduler's
/// queues stay short (CAF 0.17 walks a whole queue to steal from its end).
inline constexpr std::size_t release_burst_max = 128;

} // namespace troupe
