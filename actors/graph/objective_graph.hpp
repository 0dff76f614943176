// The dependencies of a whole objective, as plain values: names become indexes, and mistakes become
// errors that name the culprits.
#pragma once

#include "actors/graph/dependency_names.hpp"
#include "actors/graph/plan_graph.hpp"
#include "protocol/fold/plan_order.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/plan_state.hpp>
#include <troupe/protocol/spec.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace troupe {

/// What a task depends on: one task, however often and by whatever names it is written.
struct task_dependency {
  task_position at;
  std::vector<std::string> written;
};

/// `task` of this plan is awaited by a task of another plan.
struct outgoing_edge {
  std::uint32_t task;
  task_position dependent;
};

struct resolved_plan : plan_relations {
  std::vector<graph_edge> edges; ///< Between its own tasks.
  std::vector<std::uint32_t>
      externals; ///< Per task: how many tasks of other plans it waits for; empty = none at all.
  std::vector<outgoing_edge> outgoing; ///< Sorted by `task`.
  /// Per task: what it depends on, as often as it is written, compressed rows (offsets has one more
  /// entry than tasks). Positions may be in other plans.
  std::vector<std::uint32_t> dependency_offsets;
  std::vector<task_position> dependency_positions;

  /// The edges of `outgoing` that leave `task`.
  [[nodiscard]] std::span<const outgoing_edge> awaited(std::uint32_t task) const noexcept;
  /// What the task `at`, of this plan, depends on, in the order in which it is written. `spec` is
  /// how it stands now: what a change of the plan has added or removed since stands in its
  /// `dependency_indexes`.
  [[nodiscard]] std::vector<task_dependency> dependencies_of(const task_position& at,
                                                             const task_spec& spec) const;
  /// Tasks that it had when it was resolved.
  [[nodiscard]] std::uint32_t size() const noexcept {
    return dependency_offsets.empty() ? 0
                                      : static_cast<std::uint32_t>(dependency_offsets.size() - 1);
  }
  /// The graph of the plan at that position, as `spec` says now. Linear in it.
  [[nodiscard]] plan_graph graph(std::uint32_t plan, const plan_spec& spec) const;

private:
  template<class Visit>
  void for_each_dependency(const task_position& at, const task_spec& spec, Visit visit) const;
};

struct resolved_objective {
  std::vector<resolved_plan> plans;
};

/// Resolves every dependency by id, by name, or by position (`task-0` within the plan,
/// `plan-1/task-0` in another, `plan-0` for plans). Errors: unknown_dependency, duplicate_id,
/// dependency_cycle (the cycle printed as a path), invalid_params (ambiguous name, an alternative
/// of two plans, alternatives of an alternative); `field` is a JSON pointer into the objective.
/// Dependencies that were noted in a spec (task_spec::dependency_indexes) are taken from there;
/// tasks that were removed have none and no name. Linear in tasks and dependencies.
[[nodiscard]] result<resolved_objective>
resolve_dependencies(const std::vector<plan_spec_ptr>& plans);

/// resolve_dependencies for what was accepted once, perhaps by an older version that refused less:
/// it goes on, or can be canceled at least.
[[nodiscard]] result<resolved_objective> resolve_accepted(const std::vector<plan_spec_ptr>& plans);

} // namespace troupe
