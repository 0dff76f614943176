#include "client/timers.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/post.hpp>

#include <utility>

namespace troupe::net {

struct timers::alarm {
  using clock_timer =
      asio::basic_waitable_timer<steady_clock, asio::wait_traits<steady_clock>, io_executor>;

  explicit alarm(asio::io_context& context) : bell(context) {}

  clock_timer bell;
  time_point set_for = time_point::max(); ///< The latest possible: it is not set.
};

timers::timers(asio::io_context& context, const time_source& time)
    : context_(context), time_(time) {}

timers::~timers() = default;

void timers::turn() {
  const auto until = now(); // What is set meanwhile has its time in the next turn.
  while (const auto next = table_.take_due(until)) {
    const auto then = std::exchange((*next)->then_, nullptr);
    then();
  }
}

void timers::use_alarm() {
  alarm_ = std::make_unique<alarm>(context_);
  arm();
}

void timers::close() {
  alarm_.reset();
  // A coroutine and the timer that it waits for may hold each other.
  while (const auto next = table_.take_due(time_point::max()))
    static_cast<void>(std::exchange((*next)->then_, nullptr));
}

void timers::add(timer& which, time_point due) {
  table_.put(&which, due);
  arm();
}

void timers::remove(timer& which) {
  table_.erase(&which);
  if (alarm_ && table_.size() == 0) {
    alarm_->set_for = time_point::max();
    alarm_->bell.cancel(); // A loop that has nothing else to do may end.
  }
}

/// An alarm that rings too early costs a look; so it is only ever set earlier.
void timers::arm() {
  const auto due = table_.next_due();
  if (!alarm_ || !due || *due >= alarm_->set_for)
    return;
  alarm_->set_for = *due;
  alarm_->bell.expires_at(*due);
  alarm_->bell.async_wait([this](const error_code& ec) {
    if (ec || !alarm_)
      return; // Set anew, or everything is over.
    alarm_->set_for = time_point::max();
    turn();
    arm();
  });
}

void timer::start_at(time_point due, std::function<void()> then) {
  then_ = std::move(then);
  home_->add(*this, due);
}

void timer::start_after(std::chrono::nanoseconds wait, std::function<void()> then) {
  start_at(home_->now() + wait, std::move(then));
}

void timer::cancel() {
  if (then_)
    home_->remove(*this);
  then_ = nullptr;
}

awaitable<void> timer::wait_until(time_point due) {
  using handler = asio::async_result<asio::use_awaitable_t<io_executor>, void()>::handler_type;
  return asio::async_initiate<const asio::use_awaitable_t<io_executor>&, void()>(
      [this, due](handler resume) {
        // A function can be copied and a handler cannot.
        auto held = std::make_shared<handler>(std::move(resume));
        start_at(due, [held] { std::move (*held)(); });
      },
      use_awaitable);
}

void timer::wake() {
  if (!then_)
    return;
  home_->remove(*this);
  asio::post(home_->context_, std::exchange(then_, nullptr));
}

} // namespace troupe::net
