// Waits for what a blocking send waits for: that a task ends or asks (A2A 1.0 section 3.2.2). Watchers that count
// little and wake the session once.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "actors/gateway.hpp"
#include "net/wakeup.hpp"
#include "store/store.hpp"

namespace troupe::net {

/// Whether a blocking send returns with the task in `state`.
[[nodiscard]] constexpr bool ends_waiting(task_state state) noexcept {
  return is_terminal(state) || is_interrupted(state);
}

/// Whether `what` ends tasks that have not begun: who watches one of them is told so by a change of its objective.
[[nodiscard]] bool withdraws_tasks(const change& what) noexcept;

/// Reply and outcome of one send in one object: the session is woken when both are there (or what it does not wait for is left out), and
/// not before.
class send_watcher final : public watcher {
public:
  /// `waits`: for the outcome too, not for the reply alone.
  send_watcher(wakeup_ptr reader, bool waits) : reader_(std::move(reader)), waits_(waits) {}

  void on_change(const change_ptr& what) override;
  void on_reply(result<sent> what);
  /// Whoever waits is to look at the record, whatever was seen.
  void note_settled() noexcept { state_.fetch_or(settled, std::memory_order_acq_rel); }

  [[nodiscard]] bool has_reply() const noexcept { return (state_.load(std::memory_order_acquire) & replied) != 0; }
  [[nodiscard]] bool has_settled() const noexcept { return (state_.load(std::memory_order_acquire) & settled) != 0; }
  /// After `has_reply`.
  [[nodiscard]] const result<sent>& reply() const noexcept { return *reply_; }
  /// From here on only what is new counts as settled.
  void rearm() noexcept { state_.fetch_and(static_cast<std::uint8_t>(~settled), std::memory_order_acq_rel); }

private:
  static constexpr std::uint8_t replied = 1;
  static constexpr std::uint8_t settled = 2;

  wakeup_ptr reader_;
  const bool waits_;
  std::optional<result<sent>> reply_;
  std::atomic<std::uint8_t> state_{0};
};

/// A send's watch on the task that takes its message. Which task that is may become known only when the request is over, or the request
/// may be over without ever having heard of it: the watch ends with whatever comes last. Thread-safe.
class send_watch {
public:
  /// `records` outlives it.
  send_watch(store& records, watcher_ptr who) : records_(records), who_(std::move(who)) {}
  /// From now on the store may have `who` watch this task.
  void on(const std::string& task);
  /// Nobody wants to know any more.
  void end();

private:
  store& records_;
  const watcher_ptr who_;
  std::mutex guard_;
  std::string task_; ///< Empty: not known yet.
  bool ended_ = false;
};

/// Ends a watch when its scope is left.
class watch_end {
public:
  explicit watch_end(send_watch& what) : what_(what) {}
  watch_end(const watch_end&) = delete;
  watch_end& operator=(const watch_end&) = delete;
  ~watch_end() { what_.end(); }

private:
  send_watch& what_;
};

/// What `send_watcher` waits for, of a task that is there already.
class settle_watcher final : public watcher {
public:
  explicit settle_watcher(wakeup_ptr reader) : reader_(std::move(reader)) {}
  void on_change(const change_ptr& what) override;
  [[nodiscard]] bool has_settled() const noexcept { return settled_.load(std::memory_order_acquire); }

private:
  wakeup_ptr reader_;
  std::atomic<bool> settled_{false};
};

} // namespace troupe::net
