// How other threads (actors, the store's committing thread) make a waiting session go on. A session
// owns one `wakeup` and waits on it; all may `notify`. Many notifications between two turns of
// the loop cost one wake-up of its thread.
#pragma once

#include "client/io.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace troupe::net {

class wakeup;
using wakeup_ptr = std::shared_ptr<wakeup>;

/// The wake-ups of one loop that were notified and not yet delivered. Outlives its loop as long as
/// there is a `wakeup` that may be notified.
class ready_queue : public std::enable_shared_from_this<ready_queue> {
public:
  explicit ready_queue(asio::io_context& context) : context_(&context) {}

  /// Any thread.
  void push(wakeup_ptr who);
  /// The loop's thread.
  void deliver();
  /// Any thread. Runs `step` on the loop's thread, unless the loop is closed.
  void post(std::function<void()> step);
  /// From now on notifications go nowhere.
  void close();

private:
  std::mutex lock_;
  asio::io_context* context_; ///< Null after close().
  std::vector<wakeup_ptr> waiting_;
  std::vector<wakeup_ptr> delivering_; ///< The loop's thread only.
};

class wakeup : public std::enable_shared_from_this<wakeup> {
public:
  explicit wakeup(std::shared_ptr<ready_queue> home) : home_(std::move(home)) {}

  /// Any thread. Never blocks for long, never calls back.
  void notify();

  // -- the loop's thread only ---------------------------------------------------------------------

  /// Whether it was notified since the last call.
  [[nodiscard]] bool take() noexcept { return std::exchange(signaled_, false); }
  /// Suspends until the next notification. Call `take` first. Wake-ups may be spurious: test your
  /// condition again.
  [[nodiscard]] awaitable<void> wait();
  [[nodiscard]] bool waiting() const noexcept { return handler_.has_value(); }
  /// Resumes the waiter, or makes the next `take` true.
  void deliver();

private:
  using handler =
      typename asio::async_result<asio::use_awaitable_t<io_executor>, void()>::handler_type;

  std::shared_ptr<ready_queue> home_;
  std::atomic<bool> queued_{false};
  bool signaled_ = false;
  std::optional<handler> handler_;

  friend class ready_queue;
};

} // namespace troupe::net
