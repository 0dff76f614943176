// Waiting for the next change of a task, objective or question, at most so long: one operation,
// without a thread, a queue or a clock of its own. `run_objective` waits so. A send that waits for
// its task (`service/pending_send.hpp`) watches before the task has an id, and uses the same rule,
// `may_end_waiting`.
#pragma once

#include "actors/feed/source.hpp"
#include <troupe/protocol/task_state.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace troupe {

/// Whether a change may be what is waited for. Called by the committing thread: quick, without
/// locks.
using change_test = bool (*)(const change& news) noexcept;

/// Any change.
[[nodiscard]] bool is_any_change(const change& news) noexcept;
/// The task may have ended or asked: what a blocking send waits for (A2A 1.0 section 3.2.2). The
/// record knows for sure.
[[nodiscard]] bool may_end_waiting(const change& news) noexcept;
/// Whether it has, with the task in `state`.
[[nodiscard]] constexpr bool ends_waiting(task_state state) noexcept {
  return is_terminal(state) || is_interrupted(state);
}

class change_wait {
public:
  using time_point = std::chrono::steady_clock::time_point;
  enum class outcome : std::uint8_t {
    waiting, ///< `notify` will be called, or `until` will come.
    changed, ///< A change that passed the test has come since the wait began.
    late     ///< None had when the time was up.
  };

  /// Begins to wait. `notify` is called when it has begun, and when the change has come, on
  /// the thread that brings it; it must not block.
  change_wait(feed_source_ptr from, change_test test, time_point until,
              std::function<void()> notify);
  /// Waits no more.
  ~change_wait();
  change_wait(const change_wait&) = delete;
  change_wait& operator=(const change_wait&) = delete;

  [[nodiscard]] outcome look(time_point now) const noexcept;
  [[nodiscard]] time_point until() const noexcept { return until_; }
  /// What there was when the wait began; an error if there is nothing to wait for; nothing while
  /// the source has not answered.
  [[nodiscard]] std::optional<result<feed_snapshot>> begun() const;

private:
  class note;

  const feed_source_ptr source_;
  const time_point until_;
  const std::shared_ptr<note> note_;
};

} // namespace troupe
