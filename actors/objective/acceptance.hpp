// What must be true of an objective or plan before it is taken in: ids, agents, inputs, references,
// limits, dependencies. Pure apart from the look-ups it is handed; used by the gateway for commands
// and by `troupe validate`.
#pragma once

#include "actors/graph/added_plan.hpp"
#include "actors/graph/objective_graph.hpp"
#include "actors/graph/objective_index.hpp"
#include <troupe/actors/agent.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/plan_change.hpp>
#include <troupe/protocol/spec.hpp>

#include <memory>
#include <optional>

namespace troupe {

/// Gives the plan and those of its tasks that have none their generated ids; the plan's name
/// defaults to its id.
void name_plan(plan_spec& plan, const objective_id& objective, std::size_t index);

/// Ids that a client chose must not have the form of generated ones, or one of those could come to
/// name something else as well; the id that the place would get anyway may stand there. `objective`
/// (may be empty) and `index` (none: not known yet) say which place it is. Error: invalid_params,
/// the field a JSON pointer below the objective.
[[nodiscard]] result<void> check_chosen_ids(const plan_spec& plan, const objective_id& objective,
                                            std::optional<std::size_t> index);

/// Notes in each task of `plan` which tasks of the same plan its dependencies are
/// (`task_spec::dependency_indexes`), and which ones are tasks of other plans
/// (`plan_spec::outside`), so that the codec of records need not look for them again. `id_of`: the
/// id of a task of another plan.
void note_dependencies(plan_spec& plan, std::uint32_t index, const resolved_plan& resolved,
                       const std::function<task_id(const task_position&)>& id_of);

/// Agents exist, inputs suit them, references name dependencies, limits hold. The error's field is
/// a JSON pointer below the objective
/// (`/plans/0/tasks/3/agent`). Errors: agent_not_found, invalid_params, invalid_reference,
/// limit_exceeded.
[[nodiscard]] result<void> check_plan(const plan_spec& plan, std::size_t index,
                                      const agent_registry& agents);

/// check_plan for all plans, then resolve_dependencies.
[[nodiscard]] result<resolved_objective> check_objective(const std::vector<plan_spec_ptr>& plans,
                                                         const agent_registry& agents);

/// The same for a plan that is added to those that `known` has. It is named, and is not changed.
[[nodiscard]] result<resolved_addition> check_addition(const objective_index& known,
                                                       const plan_spec_ptr& plan,
                                                       const agent_registry& agents);

/// The tasks that a change of a plan adds: agents exist, inputs suit them. The error's field is
/// `/operations/3/task/agent`.
[[nodiscard]] result<void> check_operations(const std::vector<wanted_operation>& operations,
                                            const agent_registry& agents);
/// The keys of the tasks that a change of `plan` adds: none looks like a generated id
/// (invalid_params), and no task of another plan has it (duplicate_id). The error's field is
/// `/operations/3/task/id`.
[[nodiscard]] result<void> check_added_keys(const std::vector<wanted_operation>& operations,
                                            std::uint32_t plan, const objective_index& known);
/// Whether there is anything for check_added_keys to check.
[[nodiscard]] bool adds_keys(const std::vector<wanted_operation>& operations);
/// Whether the input of `task` refers to what the task `on`, on which it depends, made.
[[nodiscard]] bool refers_to(std::uint32_t task, std::uint32_t on, const plan_spec& changed);
/// Whether the references of a task still find what they name once a plan is `changed`. `before` is
/// the plan without the change; null if the task is added. Error: invalid_reference.
[[nodiscard]] result<void> check_changed_references(std::uint32_t task, const plan_spec* before,
                                                    const plan_spec& changed);
/// Whether all plans form no cycle if `plan` becomes `changed`. Linear in all of them.
[[nodiscard]] result<void> check_cycles(std::vector<plan_spec_ptr> plans, std::uint32_t plan,
                                        const plan_spec& changed);

/// What a client hands in: check_chosen_ids, then check_objective.
[[nodiscard]] result<resolved_objective> check_new_objective(const objective_spec& spec,
                                                             const agent_registry& agents);

} // namespace troupe
