#include "client/dialler.hpp"

#include <utility>

namespace troupe::net {

std::vector<asio::ip::address> families_in_turn(std::vector<asio::ip::address> all) {
  std::vector<asio::ip::address> out;
  out.reserve(all.size());
  const bool first_is_v6 = !all.empty() && all.front().is_v6();
  std::deque<asio::ip::address> first;
  std::deque<asio::ip::address> second;
  for (auto& each : all)
    (each.is_v6() == first_is_v6 ? first : second).push_back(std::move(each));
  const auto take = [&](std::deque<asio::ip::address>& from) {
    if (from.empty())
      return;
    out.push_back(std::move(from.front()));
    from.pop_front();
  };
  while (!first.empty() || !second.empty()) {
    take(first);
    take(second);
  }
  return out;
}

dialler::dialler(asio::io_context& context, timers_ptr clock, std::vector<asio::ip::address> to,
                 std::uint16_t port)
    : context_(context), to_(families_in_turn(std::move(to))), port_(port), next_(clock),
      done_(clock) {}

awaitable<dialled> dialler::run(time_point until) {
  const auto self = shared_from_this();
  if (!is_over_)
    begin_next();
  if (!is_over_)
    co_await done_.wait_until(until);
  finish();
  co_return std::move(out_);
}

void dialler::cancel() {
  finish();
  done_.wake();
}

void dialler::begin_next() {
  next_.cancel();
  const auto which = attempts_.size();
  auto& socket = attempts_.emplace_back(context_);
  ++open_;
  socket.async_connect(
      asio::ip::tcp::endpoint(to_[which], port_),
      [self = shared_from_this(), which](const error_code& ec) { self->on_end(which, ec); });
  if (attempts_.size() < to_.size())
    next_.start_after(attempt_delay, [this] { begin_next(); });
}

void dialler::on_end(std::size_t which, error_code failed) {
  --open_;
  if (is_over_)
    return;
  if (!failed) {
    out_.socket.emplace(std::move(attempts_[which]));
    out_.to = to_[which];
    out_.failed = {};
    finish();
    return done_.wake();
  }
  out_.failed = failed;
  error_code ignored;
  attempts_[which].close(ignored);
  if (attempts_.size() < to_.size())
    return begin_next(); // its timer begins anew
  if (open_ == 0) {
    finish();
    done_.wake();
  }
}

/// Closes what is not the one.
void dialler::finish() {
  is_over_ = true;
  next_.cancel();
  error_code ignored;
  for (auto& each : attempts_)
    if (each.is_open())
      each.close(ignored);
}

} // namespace troupe::net
