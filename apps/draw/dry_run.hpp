// What would begin when, for `troupe run --dry-run`. Pure.
#pragma once

#include "actors/graph/objective_graph.hpp"
#include "apps/draw/expected_times.hpp"
#include <troupe/actors/agent.hpp>
#include <troupe/protocol/spec.hpp>

#include <string>

namespace troupe {

/// A line for each task, in steps: the tasks of a step may begin when those of the steps before it
/// have completed, most of them earlier. With the task's agent, what it waits for, and the program
/// of a command. Alternatives come last: they begin only if the plan fails for which they stand in.
/// If a task says how long it takes, each has the time at which it would begin, and the last line
/// says when all would have ended, with so many `slots`.
[[nodiscard]] std::string draw_dry_run(const objective_spec& objective,
                                       const resolved_objective& edges,
                                       const agent_registry& agents,
                                       const expected_slots& slots = {});

} // namespace troupe
