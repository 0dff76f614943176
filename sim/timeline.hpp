// What is to happen in a world, and when. It has no clock: who owns it moves the time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace troupe::sim {

class timeline {
public:
  using time = std::chrono::nanoseconds; ///< Since the start of the world.
  using step = std::function<void()>;

  /// Steps of the same time happen in the order in which they were put.
  void put(time at, step then) { steps_.emplace(std::pair{at, count_++}, std::move(then)); }
  [[nodiscard]] std::optional<time> next_due() const {
    if (steps_.empty())
      return std::nullopt;
    return steps_.begin()->first.first;
  }
  /// Does the first step that is due at `now`; false if there is none.
  bool turn(time now) {
    if (steps_.empty() || steps_.begin()->first.first > now)
      return false;
    const auto first = steps_.extract(steps_.begin());
    first.mapped()();
    return true;
  }
  void clear() { steps_.clear(); }

private:
  std::map<std::pair<time, std::uint64_t>, step> steps_;
  std::uint64_t count_ = 0;
};

} // namespace troupe::sim
