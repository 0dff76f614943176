// How many bytes the tasks of one objective have made so far (limits.objective-bytes). Thread-safe:
// its tasks share it. After a restart it begins with objective_view::made_bytes.
#pragma once

#include <atomic>
#include <cstdint>

namespace troupe {

class made_bytes {
public:
  explicit made_bytes(std::uint64_t so_far) noexcept : sum_(so_far) {}

  /// False, and counts nothing, if the sum would be more than `max`.
  [[nodiscard]] bool add(std::uint64_t bytes, std::uint64_t max) noexcept {
    if (sum_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= max)
      return true;
    take_back(bytes);
    return false;
  }
  void take_back(std::uint64_t bytes) noexcept { sum_.fetch_sub(bytes, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t sum() const noexcept { return sum_.load(std::memory_order_relaxed); }

private:
  std::atomic<std::uint64_t> sum_;
};

} // namespace troupe
