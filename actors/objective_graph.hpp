// The dependencies of a whole objective, as plain values: names become indexes, and mistakes become
// errors that name the culprits.
#pragma once

#include "actors/plan_graph.hpp"
#include "protocol/fold/plan_order.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/plan_state.hpp>
#include <troupe/protocol/spec.hpp>

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

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

struct resolved_plan : plan_relations {
  std::vector<graph_edge> edges; ///< Between its own tasks.
  std::vector<std::uint32_t>
      externals; ///< Per task: how many tasks of other plans it waits for; empty = none at all.
  std::vector<outward_edge> outward; ///< Sorted by `task`.
  /// Per task: what it depends on, as often as it is written, compressed rows (offsets has one more
  /// entry than tasks). Positions may be in other plans.
  std::vector<std::uint32_t> dependency_offsets;
  std::vector<task_position> dependency_positions;

  /// The edges of `outward` that leave `task`.
  [[nodiscard]] std::span<const outward_edge> awaited(std::uint32_t task) const noexcept;
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
  [[nodiscard]] plan_graph graph() const { return {size(), edges, externals}; }
};

struct resolved_objective {
  std::vector<resolved_plan> plans;
};

/// `/plans/0/tasks/3`: a task's place in the objective as a JSON pointer.
[[nodiscard]] std::string task_pointer(std::size_t plan, std::size_t task);

/// `key`, else `name`, else `<kind>-<position>`: how a task or plan is called in messages to
/// people.
[[nodiscard]] std::string label_of(const task_spec& spec, std::size_t position);
[[nodiscard]] std::string label_of(const plan_spec& spec, std::size_t position);

/// Resolves every dependency by id, by name, or by position (`task-0` within the plan,
/// `plan-1/task-0` in another, `plan-0` for plans). Errors: unknown_dependency, duplicate_id,
/// dependency_cycle (the cycle printed as a path), invalid_params (ambiguous name, an alternative
/// of two plans, alternatives of an alternative); `field` is a JSON pointer into the objective.
/// Dependencies that were noted in a spec (task_spec::dependency_indexes) are taken from there;
/// tasks that were removed have none and no name. Linear in tasks and dependencies.
[[nodiscard]] result<resolved_objective>
resolve_dependencies(const std::vector<plan_spec_ptr>& plans);

/// `to`, of a plan that is added, waits for `from`, of an older one.
struct awaited_edge {
  task_position from;
  task_position to;
};

/// A plan that is added to others.
struct resolved_addition {
  resolved_plan plan;
  std::vector<awaited_edge> awaited;
};

/// Resolves one plan after the other against those that are there, for the cost of the new one.
/// What it says is what resolve_dependencies would say of all of them together; a name that is not
/// clear any more is refused in the same words.
class dependency_resolver {
public:
  /// `plans` were accepted, with those `relations`. Linear in them.
  dependency_resolver(std::vector<plan_spec_ptr> plans,
                      const std::vector<plan_relations>& relations);
  ~dependency_resolver();
  dependency_resolver(const dependency_resolver&) = delete;
  dependency_resolver& operator=(const dependency_resolver&) = delete;

  /// `plan` as the next one. Linear in it, but if it has alternatives and waits for others: then
  /// cycles are looked for in all plans.
  [[nodiscard]] result<resolved_addition> resolve(const plan_spec_ptr& plan) const;
  /// What `resolve` accepted is there from now on.
  void add(const plan_spec_ptr& plan, const plan_relations& relations);

  [[nodiscard]] const std::vector<plan_spec_ptr>& plans() const noexcept;
  /// Tasks that were looked at so far: what all of this has cost.
  [[nodiscard]] std::size_t tasks_looked_at() const noexcept;

  struct index;

private:
  std::unique_ptr<index> index_;
};

/// resolve_dependencies for what was accepted once, perhaps by an older version that refused less:
/// it goes on, or can be canceled at least.
[[nodiscard]] result<resolved_objective> resolve_accepted(const std::vector<plan_spec_ptr>& plans);

} // namespace troupe
