// What happened to an objective while its changes could not be followed, told by how it was and how
// it is: a server that no longer has the changes sends the objective in their place. Plain values.
#pragma once

#include "apps/run/run_model.hpp"
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/objective.hpp>

#include <vector>

namespace troupe {

/// The states that differ, as changes: those of tasks before those of plans, the objective last.
/// Only the last of the states that something went through is known; all have the time of `now`.
[[nodiscard]] std::vector<change> missed_changes(const run_model& before,
                                                 const objective_view& now);

} // namespace troupe
