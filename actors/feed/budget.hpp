// How many bytes all feeds of a process hold together. One counter, shared by every feed.
// Thread-safe.
#pragma once

#include "actors/feed/limits.hpp"

#include <atomic>
#include <cstddef>
#include <memory>

namespace troupe {

class feed_budget {
public:
  explicit feed_budget(std::size_t bytes_max = feed_bytes_total_max) : bytes_max_(bytes_max) {}

  /// Counts `bytes`; false, and counts nothing, if that is more than there is left.
  [[nodiscard]] bool take(std::size_t bytes) noexcept {
    if (held_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= bytes_max_)
      return true;
    give_back(bytes);
    return false;
  }
  /// Counts `bytes` in any case: what a reader waits for, and is alone.
  void force(std::size_t bytes) noexcept { held_.fetch_add(bytes, std::memory_order_relaxed); }
  void give_back(std::size_t bytes) noexcept { held_.fetch_sub(bytes, std::memory_order_relaxed); }

  [[nodiscard]] std::size_t held() const noexcept { return held_.load(std::memory_order_relaxed); }

private:
  const std::size_t bytes_max_;
  alignas(64) std::atomic<std::size_t> held_{0};
};

using feed_budget_ptr = std::shared_ptr<feed_budget>;

} // namespace troupe
