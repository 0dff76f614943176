// The longest chain through an objective's tasks: no number of workers can be faster than it. Used
// by the summary of a run (with the measured times) and by `troupe validate` (counting tasks). Pure
// and linear in tasks and dependencies.
#pragma once

#include "actors/graph/objective_graph.hpp"
#include <troupe/protocol/spec.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace troupe {

/// What a task adds to a path; never negative.
using task_weight = std::function<std::int64_t(std::uint32_t plan, std::uint32_t task)>;

/// The weight of the heaviest path. A plan's tasks come after all tasks of the plans it depends on;
/// an alternative comes after the plan it stands in for.
[[nodiscard]] std::int64_t critical_path(const std::vector<plan_spec_ptr>& plans,
                                         const resolved_objective& edges,
                                         const task_weight& weight);

/// For each task of each plan whether it is on the heaviest path; of several such paths one is
/// marked. None, if no task has a weight.
[[nodiscard]] std::vector<std::vector<bool>> critical_tasks(const std::vector<plan_spec_ptr>& plans,
                                                            const resolved_objective& edges,
                                                            const task_weight& weight);

/// How many tasks the longest chain has, alternatives not counted.
[[nodiscard]] std::int64_t critical_path_tasks(const std::vector<plan_spec_ptr>& plans,
                                               const resolved_objective& edges);

/// For each task of each plan how many tasks come before it at least, on the longest chain to it: 0
/// for one that waits for nothing.
[[nodiscard]] std::vector<std::vector<std::int64_t>>
steps_of(const std::vector<plan_spec_ptr>& plans, const resolved_objective& edges);

/// Per task of one plan its layer: 0 without dependencies inside the plan, else one more than the
/// deepest of them.
[[nodiscard]] std::vector<std::uint32_t> layers_of(const plan_spec& plan,
                                                   const resolved_plan& edges);

} // namespace troupe
