// What is shown of the plans and tasks of an objective, and follows from other ones: for which
// blocked plans a plan waits, which questions are its own, and the ids of what is depended on.
// Plain values over one view, made for one answer.
#pragma once

#include <troupe/protocol/objective.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace troupe {

/// Looks up what tasks and plans of one objective depend on, in the order in which the executor
/// resolves it: an id anywhere, a name in the plan, a name anywhere, a position. What was noted
/// when the plan was accepted, and generated ids of plans, need no look at the others. The first
/// few other names are searched for; then an index of all plans is built. What is not found stays
/// as written.
class id_lookup {
public:
  explicit id_lookup(const objective_view& owner) : owner_(owner) {}

  [[nodiscard]] std::string plan(const std::string& name);
  [[nodiscard]] std::optional<std::uint32_t> plan_at(const std::string& name);
  /// What the task at `task` of the plan depends on; `which` counts in its dependencies.
  [[nodiscard]] std::string task(std::uint32_t plan, std::uint32_t task, std::size_t which);

  /// Plans that it has searched, or put into its indexes, so far.
  [[nodiscard]] std::size_t indexed() const noexcept { return indexed_; }

private:
  struct task_at {
    std::uint32_t plan;
    std::uint32_t task;
  };
  template<class Position>
  using index = std::unordered_map<std::string_view, Position>;

  [[nodiscard]] std::size_t size_of(std::uint32_t plan) const;
  [[nodiscard]] std::string id_at(task_at at, const std::string& name) const;
  [[nodiscard]] std::optional<std::uint32_t> generated_plan_at(std::string_view id) const;
  [[nodiscard]] std::optional<std::uint32_t> search_plan(std::string_view name) const;
  [[nodiscard]] std::optional<task_at> noted(std::uint32_t plan, std::uint32_t task,
                                             std::size_t which) const;
  [[nodiscard]] std::optional<task_at> by_position(std::uint32_t plan, std::string_view name) const;
  void index_plans();
  void index_tasks();

  const objective_view& owner_;
  std::size_t indexed_ = 0;
  std::size_t searches_ = 0;
  bool indexed_plans_ = false;
  bool indexed_tasks_ = false;
  index<std::uint32_t> plan_ids_;
  index<std::uint32_t> plan_names_;
  index<task_at> task_ids_;
  index<task_at> task_names_;
  std::vector<index<task_at>> names_in_plan_;
};

class plan_outlook {
public:
  /// `shown`: positions of the plans that are asked for below; only these, and those for which they
  /// wait, are looked at.
  plan_outlook(const objective_view& owner, const std::vector<std::uint32_t>& shown);

  /// Blocked plans on which alone a plan waits that has not begun, or of which nothing can run: it
  /// counts as blocked then, too.
  [[nodiscard]] const std::vector<std::uint32_t>& waits_for(std::uint32_t plan) const;
  [[nodiscard]] plan_state state(std::uint32_t plan) const;
  /// Positions in `pending_inputs`.
  [[nodiscard]] const std::vector<std::uint32_t>& inputs(std::uint32_t plan) const;
  [[nodiscard]] id_lookup& ids() noexcept { return ids_; }

  /// Plans that it has looked at.
  [[nodiscard]] std::size_t looked_at() const noexcept { return looked_at_ + ids_.indexed(); }

private:
  void find_blocked(std::vector<std::uint32_t> looked_at);
  void find_open(std::uint32_t plan, std::vector<std::uint32_t>& to);
  void add(std::uint32_t plan, std::uint32_t on, std::vector<std::uint32_t>& to);
  void add_open(std::uint32_t plan, std::uint32_t on, std::vector<std::uint32_t>& to);
  [[nodiscard]] bool add_awaited(std::uint32_t index, std::vector<std::uint32_t>& to);

  using plan_lists = std::unordered_map<std::uint32_t, std::vector<std::uint32_t>>;

  const objective_view& owner_;
  id_lookup ids_;
  std::size_t looked_at_ = 0;
  plan_lists waits_for_; ///< By plan, as the next.
  plan_lists inputs_;
  /// Of each plan: in whose list of open plans it stands, the last one.
  std::unordered_map<std::uint32_t, std::uint32_t> named_by_;
};

/// The state of each plan as it is shown: one that has not begun, or of which nothing can run, is
/// blocked, too, if all plans that it waits for are blocked. Linear in plans and their
/// dependencies.
[[nodiscard]] std::vector<plan_state> shown_states(const objective_view& owner);

} // namespace troupe
