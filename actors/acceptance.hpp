// What must be true of an objective or plan before it is taken in: ids, agents, inputs, references, limits, dependencies. Pure apart from the look-ups it is
// handed; used by the gateway for commands and by `troupe validate`.
#pragma once

#include <memory>
#include <optional>

#include "actors/agent.hpp"
#include "actors/objective_graph.hpp"
#include "protocol/errc.hpp"
#include "protocol/objective.hpp"
#include "protocol/spec.hpp"

namespace troupe {

/// Gives the plan and those of its tasks that have none their generated ids; the plan's name defaults to its id.
void name_plan(plan_spec& plan, const objective_id& objective, std::size_t index);

/// Ids that a client chose must not have the form of generated ones, or one of those could come to name something else as well; the id that
/// the place would get anyway may stand there. `objective` (may be empty) and `index` (none: not known yet) say which place it is. Error:
/// invalid_params, the field a JSON pointer below the objective.
[[nodiscard]] result<void> check_chosen_ids(const plan_spec& plan, const objective_id& objective, std::optional<std::size_t> index);

/// Notes in each task of `plan` which tasks of the same plan its dependencies are (`task_spec::dependency_indexes`), so that whoever
/// writes the record need not look for them again.
void note_dependencies(plan_spec& plan, std::uint32_t index, const resolved_plan& resolved);

/// Agents exist, inputs suit them, references name dependencies, limits hold. The error's field is a JSON pointer below the objective
/// (`/plans/0/tasks/3/agent`). Errors: agent_not_found, invalid_params, invalid_reference, limit_exceeded.
[[nodiscard]] result<void> check_plan(const plan_spec& plan, std::size_t index, const agent_registry& agents);

/// check_plan for all plans, then resolve_dependencies.
[[nodiscard]] result<resolved_objective> check_objective(const std::vector<plan_spec_ptr>& plans, const agent_registry& agents);

/// What a client hands in: check_chosen_ids, then check_objective.
[[nodiscard]] result<resolved_objective> check_new_objective(const objective_spec& what, const agent_registry& agents);

/// An objective as it is before anything has happened.
[[nodiscard]] objective_view new_view(const objective_spec& spec, timestamp at);

} // namespace troupe
