// The dependencies of a whole objective, as plain values: names become indexes, mistakes become errors that name the culprits, and
// from the states of the plans follows what is to happen next. The actors only carry it out.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "actors/plan_graph.hpp"
#include "protocol/errc.hpp"
#include "protocol/plan_state.hpp"
#include "protocol/spec.hpp"

namespace troupe {

/// A task of an objective.
struct task_position {
  std::uint32_t plan;
  std::uint32_t task;

  friend auto operator<=>(const task_position&, const task_position&) = default;
};

/// What a task depends on: one task, however often and by whatever names it is written.
struct task_dependency {
  task_position at;
  std::vector<std::string> written;
};

/// `task` of this plan is awaited by a task of another plan.
struct outward_edge {
  std::uint32_t task;
  task_position dependent;
};

struct resolved_plan {
  std::vector<graph_edge> edges;          ///< Between its own tasks.
  std::vector<std::uint32_t> externals;   ///< Per task: how many tasks of other plans it waits for; empty = none at all.
  std::vector<outward_edge> outward;      ///< Sorted by `task`.
  std::vector<std::uint32_t> dependencies; ///< Plans that must complete first.
  std::vector<std::uint32_t> alternatives; ///< Plans tried in this order when it fails.
  std::optional<std::uint32_t> alternative_of;
  /// Per task: what it depends on, as often as it is written, compressed rows (offsets has one more entry than tasks). Positions may be in
  /// other plans.
  std::vector<std::uint32_t> dependency_offsets;
  std::vector<task_position> dependency_positions;

  /// The edges of `outward` that leave `task`.
  [[nodiscard]] std::span<const outward_edge> awaited(std::uint32_t task) const noexcept;
  /// What `task` of this plan, which is `spec`, depends on, in the order in which it is written.
  [[nodiscard]] std::vector<task_dependency> dependencies_of(std::uint32_t task, const task_spec& spec) const;
  [[nodiscard]] plan_graph graph(std::uint32_t size) const { return {size, edges, externals}; }
};

struct resolved_objective {
  std::vector<resolved_plan> plans;
};

/// `/plans/0/tasks/3`: a task's place in the objective as a JSON pointer.
[[nodiscard]] std::string task_pointer(std::size_t plan, std::size_t task);

/// `key`, else `name`, else `<kind>-<position>`: how a task or plan is called in messages to people.
[[nodiscard]] std::string label_of(const task_spec& spec, std::size_t position);
[[nodiscard]] std::string label_of(const plan_spec& spec, std::size_t position);

/// Resolves every dependency by id, by name, or by position (`task-0` within the plan, `plan-1/task-0` in another, `plan-0` for plans). Errors:
/// unknown_dependency, duplicate_id, dependency_cycle (the cycle printed as a path), invalid_params (ambiguous name, an alternative of two plans,
/// alternatives of an alternative); `field` is a JSON pointer into the objective.
/// Linear in tasks and dependencies.
[[nodiscard]] result<resolved_objective> resolve_dependencies(const std::vector<plan_spec_ptr>& plans);

/// The same for what was accepted once, perhaps by an older version that refused less: it goes on, or can be canceled at least.
[[nodiscard]] result<resolved_objective> resolve_accepted(const std::vector<plan_spec_ptr>& plans);

/// Whether a dependency on `plan` is met: it, or one of its alternatives, has completed.
[[nodiscard]] bool is_met(const std::vector<resolved_plan>& plans, const std::vector<plan_state>& states, std::uint32_t plan);

/// What the plans' states call for while the objective goes on.
struct objective_decision {
  std::vector<std::uint32_t> start;
  struct skip {
    std::uint32_t plan;
    std::string reason;
  };
  std::vector<skip> skipped;
  /// Set when nothing runs and nothing can start any more: completed or failed. Never set for an objective without plans.
  std::optional<objective_state> outcome;
};

/// Pure: the same states give the same decision. Plans that are `held` (by plan; empty: none) do not begin by themselves, nor are they
/// skipped.
[[nodiscard]] objective_decision decide(const std::vector<resolved_plan>& plans, const std::vector<plan_state>& states,
                                        const std::vector<bool>& held = {});

} // namespace troupe
