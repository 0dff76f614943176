// When a plan was paused, as long as its actor lives: what its tasks waited for before they began.
// Not thread-safe, the plan's actor owns it.
#pragma once

#include <troupe/protocol/task_life.hpp>
#include <troupe/protocol/time.hpp>

#include <cstddef>
#include <vector>

namespace troupe {

/// Pauses of a plan that are kept: the newest. Earlier ones count as a wait for a slot.
inline constexpr std::size_t pauses_max = 16;

class pause_log {
public:
  /// The plan is paused or not since `now`. What is so already changes nothing.
  void note(bool paused, timestamp now);

  /// The waits for a slot and the pauses from `ready` to the end of the last pause that is over, as
  /// phases of the first attempt, oldest first. Empty if there was no pause after `ready`.
  [[nodiscard]] std::vector<task_span> waits_since(timestamp ready) const;

private:
  struct pause {
    timestamp begin{};
    timestamp end = timestamp::max(); ///< The greatest time: it goes on.
  };
  std::vector<pause> pauses_;
};

} // namespace troupe
