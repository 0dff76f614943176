// Asking the gateway from a coroutine: start a command, wait for its reply without holding a thread.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "actors/gateway.hpp"
#include "net/operation.hpp"
#include "net/wakeup.hpp"

namespace troupe::net {

/// Where a reply arrives, on any thread, for a session that waits.
template<class T>
class reply_slot {
public:
  explicit reply_slot(wakeup_ptr reader) : reader_(std::move(reader)) {}

  void set(result<T> what) {
    value_.emplace(std::move(what));
    ready_.store(true, std::memory_order_release);
    reader_->notify();
  }

  [[nodiscard]] bool is_ready() const noexcept { return ready_.load(std::memory_order_acquire); }
  [[nodiscard]] result<T> take() { return std::move(*value_); }

private:
  wakeup_ptr reader_;
  std::optional<result<T>> value_;
  std::atomic<bool> ready_{false};
};

/// Calls `start(reply<T>)` and returns the reply; errc::canceled if the client went away meanwhile (nobody reads the answer then).
template<class T, class Start>
awaitable<result<T>> ask(session& connection, Start start) {
  const auto slot = std::make_shared<reply_slot<T>>(connection.wake());
  start(reply<T>([slot](result<T> what) { slot->set(std::move(what)); }));
  while (!slot->is_ready() && !connection.is_gone())
    co_await connection.wait(time_point::max());
  if (slot->is_ready())
    co_return slot->take();
  co_return make_error(errc::canceled, "the client went away");
}

} // namespace troupe::net
