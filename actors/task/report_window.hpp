// How many bytes an agent has reported that the store does not have yet. An agent that reads its
// reports from outside stops reading above the limit, so that neither the task's queue nor the
// backlog of the store grows with what a fast program or server sends.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

namespace troupe {

/// While a copy of it lives, a report is on its way to the store.
using held_report = std::shared_ptr<void>;

/// Of one attempt. Thread-safe. To be owned by a shared_ptr.
class report_window : public std::enable_shared_from_this<report_window> {
public:
  explicit report_window(std::size_t bytes_max) : bytes_max_(bytes_max) {}
  virtual ~report_window() = default;

  [[nodiscard]] held_report hold(std::size_t bytes) {
    waiting_ += bytes;
    return {this, [self = shared_from_this(), bytes](void*) { self->let_go(bytes); }};
  }
  /// False: the limit is reached; `on_room_made` follows once half of it is free.
  [[nodiscard]] bool ask_for_room() {
    if (waiting_ < bytes_max_)
      return true;
    is_asked_for_ = true;
    // What made room meanwhile did not know that it is asked for.
    return waiting_ <= bytes_max_ / 2 && is_asked_for_.exchange(false);
  }
  [[nodiscard]] std::size_t bytes_waiting() const noexcept { return waiting_; }

protected:
  /// Called once after each `ask_for_room` that was false, on the thread that made room.
  virtual void on_room_made() = 0;

private:
  void let_go(std::size_t bytes) {
    if (waiting_.fetch_sub(bytes) - bytes <= bytes_max_ / 2 && is_asked_for_.exchange(false))
      on_room_made();
  }

  const std::size_t bytes_max_;
  std::atomic<std::size_t> waiting_{0};
  std::atomic<bool> is_asked_for_{false};
};

} // namespace troupe
