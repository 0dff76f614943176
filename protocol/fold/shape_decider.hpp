// A decision about a change of a plan's shape while it is made. shape_decision.cpp goes through the
// operations and checks the result; shape_tasks.cpp adds, removes and edits tasks,
// shape_dependencies.cpp their dependencies, and shape_endings.cpp has the tasks that end or come
// back by request. Included by these sources only.
#pragma once

#include "protocol/fold/plan_shape.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace troupe {

inline bool has_dependency(const task_spec& task, std::uint32_t on) {
  return std::ranges::find(task.dependency_indexes, on) != task.dependency_indexes.end();
}

/// Applies one wanted operation after the other to a copy of the plan, which shares with it what
/// stays as it is.
class shape_decider {
public:
  shape_decider(const plan_view& plan, plan_shape& shape, const shape_terms& terms)
      : before_(plan), plan_(plan), shape_(shape), terms_(terms), had_names_(shape.has_names()) {
    where_.at = terms.now;
    out_.plan = terms.plan;
    out_.revision = terms.revision;
  }

  result<shape_decision> run(const change_plan& command);

private:
  // -- the change as a whole: shape_decision.cpp --------------------------------------------------

  /// A plan that has failed is only mended.
  [[nodiscard]] result<void> check_kind(const wanted_operation& wanted) const;
  /// Once all is applied: what one operation takes away another one may bring back.
  result<void> check_references();
  /// What was skipped has made nothing: no task that is still to begin may refer to it.
  result<void> check_readers();
  /// A plan that has failed goes on only if no task of it stays lost.
  result<void> check_failed();
  /// Says what becomes of the plan to who asked for it.
  void report(bool dry_run);
  /// Whether a task waits for nothing but its turn.
  [[nodiscard]] bool is_ready(const plan_view& plan, std::uint32_t task) const;

  // -- what all operations need: shape_decision.cpp -----------------------------------------------

  [[nodiscard]] error refuse(errc code, const std::string& why, std::string_view member = "") const;
  [[nodiscard]] const task_spec& spec(std::uint32_t task) const { return plan_.spec->tasks[task]; }
  [[nodiscard]] const task_summary& summary(std::uint32_t task) const { return plan_.tasks[task]; }
  [[nodiscard]] const std::string& label(std::uint32_t task) const;
  [[nodiscard]] std::string named(std::uint32_t task) const;
  [[nodiscard]] std::string names_of(const std::vector<std::uint32_t>& tasks) const;
  /// The position of the task that is added next.
  [[nodiscard]] std::uint32_t next_task() const {
    return static_cast<std::uint32_t>(plan_.spec->tasks.size());
  }
  [[nodiscard]] std::uint32_t first_added() const {
    return static_cast<std::uint32_t>(plan_.spec->tasks.size()) - added_;
  }
  [[nodiscard]] result<std::uint32_t> find(const std::string& name,
                                           std::string_view member = "/task") const;
  /// The task that was tried again and has that id now (`o.p0.t1.r2`).
  [[nodiscard]] std::optional<std::uint32_t> find_renewed(const std::string& id) const;
  /// The task that has that name; nothing if none has it.
  [[nodiscard]] result<std::optional<std::uint32_t>>
  find_named(const std::string& name, errc if_several, std::string_view member) const;
  /// A task that takes the operation.
  [[nodiscard]] result<std::uint32_t> find_for(change_kind kind, const std::string& name) const;
  [[nodiscard]] task_run run_of(std::uint32_t task) const;
  /// What an operation does to a task, as the table says; or why it is refused.
  [[nodiscard]] result<change_effect> effect_of(change_kind kind, std::uint32_t task,
                                                std::string_view member = "/task") const;
  /// Whether a task that depends on it can ever begin.
  [[nodiscard]] result<void> check_reachable(std::uint32_t on, std::string_view member) const;
  void done(applied_operation operation);
  /// What is reported of an operation, and which tasks it may have released.
  void note(const applied_operation& operation);
  void note_dependents(std::uint32_t task);
  /// The references of `task` may no longer find what they name.
  void may_break_references(std::uint32_t task) { breaks_references_.insert_or_assign(task, at_); }

  // -- tasks and what they are to do: shape_tasks.cpp ---------------------------------------------

  result<void> apply_one(const add_task& wanted);
  result<void> apply_one(const remove_task<std::string>& wanted);
  result<void> apply_one(const rename_task<std::string>& wanted);
  result<void> apply_one(const set_deadline<std::string>& wanted);
  result<void> apply_one(const set_priority<std::string>& wanted);
  result<void> apply_one(const put_task<std::string>& wanted);
  result<void> apply_one(const replace_task& wanted);
  result<void> apply_one(const edit_plan& wanted);
  result<void> put(std::uint32_t task, const task_spec& next);
  /// The task keeps its dependencies.
  result<void> put_keeping(std::uint32_t task, const task_spec& next);
  /// `task` is about to get another name.
  void note_name(std::uint32_t task, const std::string& name);
  /// `task` is about to have that name, or to have it no more.
  void note_name(std::uint32_t task, const std::string& name, bool has_it);
  /// The names are again as they were before the change.
  void take_back_names();

  // -- dependencies: shape_dependencies.cpp -------------------------------------------------------

  result<void> apply_one(const add_dependency<std::string>& wanted);
  result<void> apply_one(const remove_dependency<std::string>& wanted);
  /// Both ends of a dependency that is added or removed.
  template<template<class> class Operation>
  [[nodiscard]] result<Operation<std::uint32_t>>
  find_ends(const Operation<std::string>& wanted) const;
  /// `on` and `whole` are the members that say on what, and the dependency itself.
  result<void> depend(const add_dependency<std::uint32_t>& added, std::string_view on,
                      std::string_view whole);
  /// What depends on `task` shall depend on what it depends on.
  result<void> bridge(std::uint32_t task, const std::vector<std::uint32_t>& dependents);
  /// In the direction "a -> b": b waits for a. As in documents (objective_graph).
  [[nodiscard]] std::string cycle_of(const add_dependency<std::uint32_t>& added) const;
  [[nodiscard]] error refuse_cycle(const add_dependency<std::uint32_t>& added,
                                   std::string_view whole) const;
  /// The last one that was added to a cycle is refused.
  result<void> check_unsearched();
  /// "task \"a\" and 2 more depend": who depends on a task, as the beginning of a sentence.
  [[nodiscard]] std::string list_of(const std::vector<std::uint32_t>& tasks) const;
  /// The tasks of this plan on which `task` is to depend. Those of other plans stay as they are.
  [[nodiscard]] result<std::vector<std::uint32_t>> dependencies_inside(std::uint32_t task,
                                                                       const task_spec& next) const;
  /// The tasks of other plans on which `task` depends: as written, and their ids.
  [[nodiscard]] std::unordered_set<std::string> names_outside(std::uint32_t task) const;

  // -- tasks that end or come back by request: shape_endings.cpp ----------------------------------

  result<void> apply_one(const skip_task<std::string>& wanted);
  result<void> apply_one(const complete_task<std::string>& wanted);
  result<void> apply_one(const retry_task<std::string>& wanted);
  result<void> skip(std::uint32_t task, const skip_task<std::string>& wanted);
  /// What ends a task, and what brings it back, is done to it once.
  [[nodiscard]] result<void> check_once(std::uint32_t task);
  [[nodiscard]] result<void> check_stop(change_effect effect, std::uint32_t task,
                                        bool may_cancel) const;
  /// A new task stands in the place of one that was lost or skipped.
  result<void> renew(std::uint32_t task, bool with_dependents);
  void come_back(std::uint32_t task);
  /// Tasks that were canceled because one was lost that is not any more. In a plan that has failed
  /// all may come back, else those that depend on it and never began.
  result<void> bring_back();
  /// False if it stays as it is.
  bool bring_back(std::uint32_t task);
  /// How the plan will stand. What runs of a task ends later; it counts as ended already.
  void note_end(change_effect effect, std::uint32_t task, task_state to);

  const plan_view& before_;
  plan_view plan_; ///< As it would be.
  plan_shape& shape_;
  const shape_terms& terms_;
  change where_;
  plan_changed out_{};
  change_report report_{};
  struct name_move {
    std::uint32_t task;
    std::string name;
    bool has_it; ///< From then on.
  };
  const bool had_names_; ///< `shape_` had them before the change.
  std::vector<name_move> name_moves_;
  std::unordered_map<std::string, std::uint32_t> aliases_; ///< By `add_task::as`.
  std::size_t at_ = 0;
  std::uint32_t added_ = 0;
  bool adds_dependencies_ = false;
  /// A dependency that was added, and may be a part of a cycle.
  struct unsearched {
    add_dependency<std::uint32_t> added;
    std::size_t at; ///< Its operation.
    std::string_view whole;
  };
  std::vector<unsearched> unsearched_;
  std::size_t searches_until_ = 0; ///< In the numbers of plan_shape::looked_at.
  std::unordered_set<std::uint32_t> replaced_;
  std::unordered_set<std::uint32_t> decided_; ///< Removed, skipped, completed or tried again.
  std::unordered_set<std::uint32_t> renewed_;
  std::vector<std::uint32_t> revived_; ///< Whose dependents may come back.
  std::vector<std::uint32_t> touched_; ///< That the change may have released.
  /// By task: the skipped one on which it depends, and the operation.
  std::map<std::uint32_t, std::pair<std::uint32_t, std::size_t>> skipped_for_;
  std::map<std::uint32_t, std::size_t> breaks_references_; ///< By task: the operation that may.
};

} // namespace troupe
