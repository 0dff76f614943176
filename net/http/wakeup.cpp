#include "net/http/wakeup.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace troupe::net {

void ready_queue::push(wakeup_ptr who) {
  const std::lock_guard guard(lock_);
  if (context_ == nullptr)
    return;
  waiting_.push_back(std::move(who));
  if (waiting_.size() == 1)
    asio::post(*context_, [self = shared_from_this()] { self->deliver(); });
}

void ready_queue::deliver() {
  {
    const std::lock_guard guard(lock_);
    delivering_.swap(waiting_);
  }
  for (auto& who : delivering_) {
    // Before delivery: a notification from here on queues it again, so that none is lost.
    who->queued_.store(false, std::memory_order_release);
    who->deliver();
  }
  delivering_.clear();
}

void ready_queue::post(std::function<void()> step) {
  const std::lock_guard guard(lock_);
  if (context_ != nullptr)
    asio::post(*context_, std::move(step));
}

void ready_queue::close() {
  const std::lock_guard guard(lock_);
  context_ = nullptr;
  waiting_.clear();
}

void wakeup::notify() {
  if (!queued_.exchange(true, std::memory_order_acq_rel))
    home_->push(shared_from_this());
}

awaitable<void> wakeup::wait() {
  return asio::async_initiate<const asio::use_awaitable_t<io_executor>&, void()>(
      [this](auto&& resume) { handler_.emplace(std::forward<decltype(resume)>(resume)); },
      use_awaitable);
}

void wakeup::deliver() {
  if (!handler_) {
    signaled_ = true;
    return;
  }
  auto resume = std::move(*handler_);
  handler_.reset();
  std::move(resume)();
}

} // namespace troupe::net
