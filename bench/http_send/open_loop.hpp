// The decisions of an open loop: requests are due at even distances, whatever the answers do, and
// the latency of each counts from the time it was due. So a server that stops for a second is seen
// by all requests of that second, not only by those under way ("coordinated omission"). A plain
// value: it neither reads a clock nor sends.
#pragma once

#include "bench/support/histogram.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace troupe::bench {

struct open_loop_options {
  double rate = 1000.0; ///< Requests a second.
  std::chrono::nanoseconds warmup{0};
  std::chrono::nanoseconds measured{std::chrono::seconds(1)};
  std::size_t connections = 1; ///< Each has at most one request under way.
};

/// Of the requests that were due in the measured time.
struct open_loop_figures {
  std::uint64_t due = 0;
  std::uint64_t in_time = 0;   ///< Answered before the measured time was over.
  std::uint64_t held_back = 0; ///< No connection was free when they were due.
  histogram latencies;         ///< Nanoseconds, from when each was due.
  /// Nanoseconds that each left after it was due and a connection was free: the fault of the load
  /// generator, or of the processes with which it shares the machine.
  histogram late;
};

class open_loop {
public:
  using time_point = std::chrono::steady_clock::time_point;

  open_loop(const open_loop_options& how, time_point begin);

  /// The connection on which the next request leaves now; nothing if none is due or none is free.
  [[nodiscard]] std::optional<std::size_t> next(time_point now);
  /// The answer on this connection is complete.
  void answered(std::size_t connection, time_point now);

  /// When the next request is due; nothing while no connection is free, and after the last request.
  [[nodiscard]] std::optional<time_point> wakes_at() const;
  [[nodiscard]] std::size_t under_way() const noexcept { return due_at_.size() - free_.size(); }
  /// All have left and been answered.
  [[nodiscard]] bool is_over() const noexcept { return sent_ == requests_ && under_way() == 0; }

  [[nodiscard]] const open_loop_figures& figures() const noexcept { return figures_; }

private:
  [[nodiscard]] time_point due_at(std::uint64_t request) const;
  [[nodiscard]] bool is_measured(time_point due) const noexcept { return due >= measured_from_; }

  std::chrono::duration<double, std::nano> interval_;
  time_point begin_;
  time_point measured_from_;
  time_point end_;
  std::uint64_t requests_; ///< In all, warm-up included.
  std::uint64_t sent_ = 0;
  std::vector<time_point> due_at_; ///< By connection; of the request under way.
  std::vector<std::size_t> free_;  ///< Connections; the last one is taken first.
  time_point free_since_;          ///< When the first of them came, after there was none.
  open_loop_figures figures_;
};

} // namespace troupe::bench
