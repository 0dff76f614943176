// The library in one call, for programs with a thread to spare: runs an objective and waits for how it ended. Everybody else uses
// the gateway and a watcher. Never call it on an actor's thread or in a `reply`: it blocks.
#pragma once

#include "actors/gateway.hpp"
#include "protocol/objective.hpp"

namespace troupe {

/// Creates `what`, starts it, and returns it once it has settled (completed, failed, canceled), or as soon as nothing can go on without
/// an answer (blocked; `pending_inputs` says what is asked). An objective without tasks never settles by itself and is refused.
/// Errors: those of `gateway::create`.
[[nodiscard]] result<objective_ptr> run_objective(gateway& door, objective_spec what);

} // namespace troupe
