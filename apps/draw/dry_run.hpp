// What would begin when, for `troupe run --dry-run`. Pure.
#pragma once

#include "actors/graph/objective_graph.hpp"
#include <troupe/actors/agent.hpp>
#include <troupe/protocol/spec.hpp>

#include <string>

namespace troupe {

/// A line for each task, in steps: the tasks of a step may begin when those of the steps before it
/// have completed, most of them earlier. With the task's agent, what it waits for, and the program
/// of a command. Alternatives come last: they begin only if the plan fails for which they stand in.
[[nodiscard]] std::string draw_dry_run(const objective_spec& objective,
                                       const resolved_objective& edges,
                                       const agent_registry& agents);

} // namespace troupe
