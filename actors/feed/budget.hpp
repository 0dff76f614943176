// How many bytes all feeds of a process hold together: a bound of their own, and their account in
// the budget of the process (memory_account::feeds). Shared by every feed. Thread-safe.
#pragma once

#include "actors/feed/limits.hpp"
#include <troupe/protocol/memory_budget.hpp>

#include <cstddef>
#include <memory>
#include <utility>

namespace troupe {

class feed_budget {
public:
  explicit feed_budget(std::size_t bytes_max = feed_bytes_total_max,
                       memory_budget_ptr memory = std::make_shared<memory_budget>())
      : bytes_max_(bytes_max), memory_(std::move(memory)) {}

  /// Counts `bytes`; false, and counts nothing, if that is more than there is left.
  [[nodiscard]] bool take(std::size_t bytes) noexcept {
    return memory_->charge(memory_account::feeds, bytes, bytes_max_);
  }
  /// The same for a change that waits in a feed; also false above half of the limit. The other half
  /// is for the texts that are made of changes: a burst that many readers wait for is read from the
  /// history later, and ends no stream.
  [[nodiscard]] bool take_for_queue(std::size_t bytes) noexcept {
    return memory_->charge(memory_account::feeds, bytes, bytes_max_ / 2);
  }
  /// The same for something that cannot be parted: what is longer than the limit is counted while
  /// there is any room, else it would never be.
  [[nodiscard]] bool take_whole(std::size_t bytes) noexcept {
    if (take(bytes))
      return true;
    if (bytes <= bytes_max_ || held() >= bytes_max_
        || !memory_->has_room(memory_account::feeds, bytes))
      return false;
    force(bytes);
    return true;
  }
  /// Counts `bytes` in any case: what a reader waits for, and is alone.
  void force(std::size_t bytes) noexcept { memory_->force(memory_account::feeds, bytes); }
  void give_back(std::size_t bytes) noexcept { memory_->give_back(memory_account::feeds, bytes); }

  [[nodiscard]] std::size_t held() const noexcept { return memory_->held(memory_account::feeds); }

private:
  const std::size_t bytes_max_;
  const memory_budget_ptr memory_;
};

using feed_budget_ptr = std::shared_ptr<feed_budget>;

} // namespace troupe
