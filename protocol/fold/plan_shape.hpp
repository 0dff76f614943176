// Whether the shape of a plan may be changed as a command wants it, and the result: plain
// values, pure. The plan's actor decides with it while the plan runs, its objective before that.
#pragma once

#include "protocol/fold/change_rules.hpp"
#include "protocol/fold/named_tasks.hpp"
#include <troupe/protocol/command.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/objective.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace troupe {

/// What a plan's spec does not say at once: which task has a name, and what depends on a task. Made
/// with the first change of a plan, and kept beside it.
class plan_shape {
public:
  /// Linear in the plan.
  explicit plan_shape(const plan_spec& plan);

  /// How `task` depends on `on`: the tasks from the one to the other, both included. Empty if it
  /// does not.
  [[nodiscard]] std::vector<std::uint32_t> path(const plan_spec& plan, std::uint32_t task,
                                                std::uint32_t on) const;
  /// The task of that id, key or position (`task-3`). Nothing if it was removed.
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const;
  [[nodiscard]] const std::vector<std::uint32_t>& dependents(std::uint32_t task) const {
    return dependents_[task];
  }
  /// Whether `task` depends on `on`, through others too. `plan` is how it stands now. Costs what
  /// the smaller side costs: what depends on `on`, or what `task` depends on.
  [[nodiscard]] bool depends(const plan_spec& plan, std::uint32_t task, std::uint32_t on) const;

  /// A cycle of dependencies: each task of it depends on the next one, the last one on the first.
  /// Empty: there is none. Costs the plan.
  [[nodiscard]] std::vector<std::uint32_t> cycle(const plan_spec& plan) const;

  /// Follows what was applied to `plan`.
  void apply(const plan_spec& plan, const applied_operation& done);
  /// Takes the last one back again. `plan` still has it.
  void revert(const plan_spec& plan, const applied_operation& done);

  /// The tasks of `plan`, as it stands now, by their names. It is made when it is first asked for,
  /// which costs the plan; after that, the caller that changes names keeps it up to date.
  [[nodiscard]] named_tasks& by_name(const plan_spec& plan);
  [[nodiscard]] bool has_names() const noexcept { return by_name_.has_value(); }
  /// It is made anew when it is asked for again.
  void forget_names() noexcept { by_name_.reset(); }

  /// Tasks that it has, without those that were removed.
  [[nodiscard]] std::size_t tasks() const noexcept { return tasks_; }
  /// Tasks and dependencies that it has looked at so far: what all of this has cost.
  [[nodiscard]] std::size_t looked_at() const noexcept { return looked_at_; }

private:
  void add_names(const plan_spec& plan, std::uint32_t task);
  void remove_names(const plan_spec& plan, std::uint32_t task);
  void link(std::uint32_t task, std::uint32_t on);
  void unlink(std::uint32_t task, std::uint32_t on);

  std::string plan_id_;
  std::unordered_map<std::string, std::uint32_t>
      names_; ///< Keys, and ids that are not the generated ones.
  std::optional<named_tasks> by_name_;
  std::vector<std::vector<std::uint32_t>> dependents_; ///< By task.
  std::vector<bool> is_removed_;                       ///< By task.
  std::size_t tasks_ = 0;
  mutable std::size_t looked_at_ = 0;
};

/// What a decision needs beside the plan and the command.
struct shape_terms {
  std::uint32_t plan = 0;     ///< Its position.
  std::uint64_t revision = 0; ///< Of the objective once it is changed.
  timestamp now{};
  std::size_t tasks_max = 0; ///< That a plan may have, with those that were removed.
  // Each of the rest may be null.
  /// What runs of a task; null: nothing runs.
  std::function<task_run(std::uint32_t)> run_of{};
  /// Whether a task waits for one of another plan; null: all do.
  std::function<bool(std::uint32_t)> waits_outside{};
  /// Whether the input of a task refers to what another one made.
  std::function<bool(std::uint32_t task, std::uint32_t on, const plan_spec& changed)> reads{};
  /// Whether a task of another plan depends on a task.
  std::function<bool(std::uint32_t)> is_awaited{};
  /// Why the references in the input of a task do not find what they name in the changed plan.
  /// `before` is the plan without the change; null for a task that is added. Asked last, for each
  /// task whose dependencies, or the names of these, changed.
  std::function<result<void>(std::uint32_t task, const plan_spec* before, const plan_spec& changed)>
      check_references{};
  /// Whether added dependencies form a cycle through other plans. Asked once, last.
  std::function<result<void>(const plan_spec& changed)> check_cycles{};
};

struct shape_decision {
  plan_changed changed;
  change_report report;
};

/// The event that does all that `command` wants, or why nothing is done: the error's field names
/// the operation (`/operations/3`). `shape` is that of `plan`, and follows. Its `if_revision` is
/// not looked at. Of a `dry_run`, `shape` stays as it is. What a task takes is the table of
/// change_rules.hpp. Costs what is touched, and what is looked at for a cycle; of a plan that has
/// failed, all of it. Errors: unknown_dependency (no such task or dependency), duplicate_id,
/// dependency_cycle (with the path), already_started, already_ended, still_needed, still_read,
/// dependency_failed, nothing_to_retry, plan_failed, invalid_reference (of a task's input),
/// invalid_params, limit_exceeded.
[[nodiscard]] result<shape_decision> decide(const plan_view& plan, plan_shape& shape,
                                            const change_plan& command, const shape_terms& terms);

/// `changed` and what belongs to it, in the order in which they are applied: the tasks that are
/// renewed come before, those that end without having begun after. `before`: the plan without the
/// change. `has_actor`: of such a task nothing is said here; its actor ends it.
[[nodiscard]] std::vector<event> events_of(const plan_view& before, const plan_changed& changed,
                                           const std::function<bool(std::uint32_t)>& has_actor);

} // namespace troupe
