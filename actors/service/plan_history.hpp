// The changes of one plan, or of an objective, or how it was, out of the history of the objective.
// Plain values: pages of the history go in, in order.
#pragma once

#include "actors/service/answer.hpp"
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/objective.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace troupe {

class plan_history_reader {
public:
  /// `plan`: its position. Only what is after `after` is kept, and of that the last `count` before
  /// `before` (0: no such limit).
  plan_history_reader(std::uint32_t plan, std::uint64_t after, std::uint64_t before,
                      std::size_t count)
      : plan_(plan), after_(after), before_(before), count_(count) {}

  void take(const change_ptr& change);
  /// The last one first.
  [[nodiscard]] std::vector<plan_revision> take_revisions();
  /// There were more than `count`.
  [[nodiscard]] bool has_more() const noexcept { return has_more_; }

private:
  void note(const change_ptr& change, std::size_t at);

  std::uint32_t plan_;
  std::uint64_t after_;
  std::uint64_t before_;
  std::size_t count_;
  std::uint64_t revision_ = 0; ///< Of the objective.
  std::uint32_t plans_ = 0;
  bool has_more_ = false;
  std::vector<plan_revision> found_;
};

/// The same of an objective and all its plans.
class objective_history_reader {
public:
  objective_history_reader(std::uint64_t after, std::uint64_t before, std::size_t count)
      : after_(after), before_(before), count_(count) {}

  void take(const change_ptr& change);
  /// The last one first.
  [[nodiscard]] std::vector<objective_revision> take_revisions();
  /// There were more than `count`.
  [[nodiscard]] bool has_more() const noexcept { return has_more_; }

private:
  std::uint64_t after_;
  std::uint64_t before_;
  std::size_t count_;
  std::uint64_t revision_ = 0;
  bool has_more_ = false;
  std::vector<objective_revision> found_;
};

/// An objective as it was at a revision.
class past_objective_reader {
public:
  explicit past_objective_reader(std::uint64_t revision) : revision_(revision) {
    view_.rollup.is_kept = false;
  }

  /// False: this change and all after it are later.
  [[nodiscard]] bool take(const change_ptr& change);
  /// Its plans as far as their shapes go.
  [[nodiscard]] const objective_view& view() const noexcept { return view_; }
  /// Null if it was not there yet, or not any more.
  [[nodiscard]] const plan_view* plan(std::uint32_t position) const noexcept {
    return position < view_.plans.size() && !view_.plans[position].spec->is_removed
               ? &view_.plans[position]
               : nullptr;
  }

private:
  std::uint64_t revision_;
  objective_view view_;
};

} // namespace troupe
