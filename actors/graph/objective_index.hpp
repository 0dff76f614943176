// Which tasks and plans of an objective have an id, a key or a name, and which of these its
// dependencies use: an index beside its plans. It is made once, linear in all plans, and follows
// what is added and changed for the cost of that.
#pragma once

#include "actors/graph/dependency_names.hpp"
#include "protocol/fold/plan_order.hpp"
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/spec.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// The tasks whose names or dependencies the operations of a change change, the last one first. The
/// plan had `size` tasks before.
[[nodiscard]] std::vector<std::uint32_t> tasks_touched_by(const plan_changed& changed,
                                                          std::uint32_t size);

/// A plan uses the name of another one.
struct plan_use {
  std::uint32_t plan = 0;
  std::uint32_t at = 0; ///< In its dependencies, or alternatives.
  bool as_alternative = false;
};

class objective_index {
public:
  /// `plans` were accepted, with those `relations`.
  objective_index(std::vector<plan_spec_ptr> plans, const std::vector<plan_relations>& relations);

  // -- what changes -------------------------------------------------------------------------------

  /// One more plan. Linear in it.
  void add(const plan_spec_ptr& plan, const plan_relations& relations);
  /// A plan became `plan` by that change. Costs what the operations touch.
  void apply(const plan_spec_ptr& plan, const plan_changed& changed);

  // -- what it knows ------------------------------------------------------------------------------

  [[nodiscard]] const std::vector<plan_spec_ptr>& plans() const noexcept { return plans_; }
  [[nodiscard]] const std::vector<std::uint32_t>& alternatives(std::uint32_t plan) const {
    return alternatives_[plan];
  }
  [[nodiscard]] std::optional<std::uint32_t> alternative_of(std::uint32_t plan) const {
    return alternative_of_[plan];
  }

  /// By id or key.
  [[nodiscard]] std::optional<std::uint32_t> find_plan(std::string_view id) const;
  /// `not_found` or `ambiguous` if not one plan has that name.
  [[nodiscard]] std::uint32_t find_plan_named(std::string_view name) const;
  /// The first dependency or alternative that names a plan so, and not by its id; null if none.
  [[nodiscard]] const plan_use* find_plan_use(std::string_view name) const;

  /// By id or key. Nothing if the task was removed.
  [[nodiscard]] std::optional<task_position> find_task(std::string_view id) const;
  /// How many tasks have that name; which one, if it is one.
  struct named_tasks {
    std::size_t count = 0;
    std::optional<task_position> only{};
  };
  [[nodiscard]] named_tasks find_tasks_named(std::string_view name) const;
  /// By `plan-1/task-0`. Nothing if the task was removed.
  [[nodiscard]] std::optional<task_position> find_task_at(std::string_view text) const;
  /// A task of which a dependency is written so, and is not an id. `by_id`: the text becomes an id;
  /// else a name, which comes after the names of the task's own plan.
  [[nodiscard]] std::optional<task_position> find_task_use(std::string_view text, bool by_id) const;

  /// Tasks that it has looked at so far: what all of this has cost.
  [[nodiscard]] std::size_t looked_at() const noexcept { return looked_at_; }
  void count_looks(std::size_t tasks) const noexcept { looked_at_ += tasks; }

private:
  void add_tasks(std::uint32_t plan);
  void add_plan_names(std::uint32_t plan);
  void add_uses(std::uint32_t plan);
  void add_names(const task_position& at, const task_spec& task);
  void remove_names(const task_position& at, const task_spec& task);
  void add_use(const task_position& at, const std::string& text, bool by_own_name);
  void remove_use(const task_position& at, const std::string& text);

  /// The sum of positions: of one task it is its position.
  struct name_entry {
    std::size_t count = 0;
    std::uint64_t sum = 0;
  };
  struct task_uses {
    std::vector<task_position> by_own_name; ///< It is a name in their own plan.
    std::vector<task_position> others;
  };

  std::vector<plan_spec_ptr> plans_;
  std::vector<std::optional<std::uint32_t>> alternative_of_;
  std::vector<std::vector<std::uint32_t>> alternatives_;
  by_text<std::uint32_t> plan_ids_;
  by_text<std::uint32_t> plan_names_;
  by_text<plan_use> plan_uses_;
  by_text<task_position> task_ids_; ///< Keys, and ids that are not the generated ones.
  by_text<name_entry> task_names_;
  by_text<task_uses> task_uses_;
  mutable std::size_t looked_at_ = 0;
};

} // namespace troupe
