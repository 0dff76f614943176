// What is to happen in a world, and when. It has no clock: who owns it moves the time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace troupe::sim {

class timeline {
public:
  using time = std::chrono::nanoseconds; ///< Since the start of the world.
  using step = std::function<void()>;

  /// Steps of the same time happen in the order in which they were put.
  void put(time at, step then) {
    steps_.push_back({at, count_++, std::move(then)});
    std::ranges::push_heap(steps_, is_later);
  }
  [[nodiscard]] std::optional<time> next_due() const {
    if (steps_.empty())
      return std::nullopt;
    return steps_.front().at;
  }
  /// Does the first step that is due at `now`; false if there is none.
  bool turn(time now) {
    if (steps_.empty() || steps_.front().at > now)
      return false;
    std::ranges::pop_heap(steps_, is_later);
    const auto first = std::move(steps_.back().then);
    steps_.pop_back();
    first();
    return true;
  }
  void clear() { steps_.clear(); }

private:
  struct entry {
    time at;
    std::uint64_t number; ///< In the order in which they were put.
    step then;
  };

  static bool is_later(const entry& one, const entry& other) {
    return one.at != other.at ? one.at > other.at : one.number > other.number;
  }

  std::vector<entry> steps_; ///< A heap: the next one is in front.
  std::uint64_t count_ = 0;
};

} // namespace troupe::sim
