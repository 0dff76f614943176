#include "bench/http_send/open_loop.hpp"

#include <algorithm>
#include <cmath>

namespace troupe::bench {

namespace {

std::uint64_t nanoseconds(std::chrono::nanoseconds time) {
  return static_cast<std::uint64_t>(std::max<std::chrono::nanoseconds::rep>(time.count(), 0));
}

} // namespace

open_loop::open_loop(const open_loop_options& how, time_point begin)
    : interval_(1e9 / how.rate), begin_(begin), measured_from_(begin + how.warmup),
      end_(measured_from_ + how.measured),
      requests_(static_cast<std::uint64_t>(std::ceil((how.warmup + how.measured) / interval_))),
      due_at_(how.connections), free_since_(begin) {
  for (std::size_t i = how.connections; i-- > 0;)
    free_.push_back(i);
}

open_loop::time_point open_loop::due_at(std::uint64_t request) const {
  return begin_
         + std::chrono::duration_cast<std::chrono::nanoseconds>(interval_
                                                                * static_cast<double>(request));
}

std::optional<std::size_t> open_loop::next(time_point now) {
  if (sent_ == requests_ || free_.empty())
    return std::nullopt;
  const auto due = due_at(sent_);
  if (due > now)
    return std::nullopt;
  const auto connection = free_.back();
  free_.pop_back();
  due_at_[connection] = due;
  ++sent_;
  if (is_measured(due)) {
    ++figures_.due;
    figures_.held_back += free_since_ > due ? 1 : 0;
    figures_.late.add(nanoseconds(now - std::max(due, free_since_)));
  }
  return connection;
}

void open_loop::answered(std::size_t connection, time_point now) {
  if (free_.empty())
    free_since_ = now;
  free_.push_back(connection);
  const auto due = due_at_[connection];
  if (!is_measured(due))
    return;
  figures_.latencies.add(nanoseconds(now - due));
  figures_.in_time += now <= end_ ? 1 : 0;
}

std::optional<open_loop::time_point> open_loop::wakes_at() const {
  if (sent_ == requests_ || free_.empty())
    return std::nullopt;
  return due_at(sent_);
}

} // namespace troupe::bench
