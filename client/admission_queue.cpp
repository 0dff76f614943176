#include "client/admission_queue.hpp"

#include <algorithm>
#include <utility>

namespace troupe::net {

struct admission_queue::waiter {
  explicit waiter(timers_ptr clock) : turn(std::move(clock)) {}

  timer turn;
  bool has_place = false;
  bool has_left = false;
};

admission_queue::ticket& admission_queue::ticket::operator=(ticket&& other) noexcept {
  if (this != &other) {
    release();
    from_ = std::move(other.from_);
    waiter_ = std::move(other.waiter_);
  }
  return *this;
}

bool admission_queue::ticket::has_place() const noexcept {
  return waiter_ && waiter_->has_place;
}

void admission_queue::ticket::release() {
  const auto queue = std::move(from_);
  const auto mine = std::move(waiter_);
  if (!mine)
    return;
  mine->has_left = true;
  if (std::exchange(mine->has_place, false))
    return queue->leave();
  std::erase(queue->line_, mine);
  mine->turn.wake();
}

admission_queue::ticket admission_queue::enter() {
  ticket out;
  if (free_ == 0 && line_.size() >= waiting_max_)
    return out;
  out.from_ = shared_from_this();
  out.waiter_ = std::make_shared<waiter>(clock_);
  if (free_ > 0) {
    --free_;
    out.waiter_->has_place = true;
  } else {
    line_.push_back(out.waiter_);
  }
  return out;
}

awaitable<bool> admission_queue::wait(ticket& on, time_point until) {
  const auto mine = on.waiter_;
  if (!mine)
    co_return false;
  if (!mine->has_place && !mine->has_left)
    co_await mine->turn.wait_until(until);
  co_return mine->has_place;
}

/// The place goes to the first in line.
void admission_queue::leave() {
  if (line_.empty()) {
    ++free_;
    return;
  }
  const auto next = std::move(line_.front());
  line_.pop_front();
  next->has_place = true;
  next->turn.wake();
}

} // namespace troupe::net
