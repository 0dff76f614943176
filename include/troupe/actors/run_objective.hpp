// The library in one call: runs an objective and waits for its end. It blocks the calling thread. A
// program that must not block uses the gateway and a watcher. Never call it on an actor's thread or
// in a `reply`.
#pragma once

#include <troupe/actors/gateway.hpp>
#include <troupe/protocol/objective.hpp>

namespace troupe {

/// Creates the objective, starts it, and returns it when it has settled (completed, failed,
/// canceled), or when no task can go on without an answer (blocked; `pending_inputs` has the
/// questions). An objective without tasks never settles by itself and is refused. Errors: those of
/// `gateway::create`.
[[nodiscard]] result<objective_ptr> run_objective(gateway& main_gateway, objective_spec spec);

} // namespace troupe
