// The changes of one plan, or how it was, out of the history of its objective. Plain values: pages
// of the history go in, in order.
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

/// The plan as it was at a revision of its objective.
class past_plan_reader {
public:
  /// `plan`: its position.
  past_plan_reader(std::uint32_t plan, std::uint64_t revision) : plan_(plan), revision_(revision) {
    view_.rollup.is_kept = false;
  }

  /// False: this change and all after it are later.
  [[nodiscard]] bool take(const change_ptr& change);
  /// Null if it was not there yet.
  [[nodiscard]] const plan_view* plan() const noexcept {
    return plan_ < view_.plans.size() ? &view_.plans[plan_] : nullptr;
  }

private:
  std::uint32_t plan_;
  std::uint64_t revision_;
  objective_view view_; ///< Its plans as far as their shapes go.
};

} // namespace troupe
