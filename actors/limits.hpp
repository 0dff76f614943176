// The named limits of this room: what happens at each stands beside it.
#pragma once

#include <cstddef>

namespace troupe {

/// Plans of one objective; more are refused (errc::limit_exceeded). Deciding what starts next looks at all plans.
inline constexpr std::size_t plans_per_objective_max = 10'000;
/// Tasks of one plan; more are refused (errc::limit_exceeded). A million takes about 1 GB while it runs.
inline constexpr std::size_t tasks_per_plan_max = 1'000'000;

} // namespace troupe
