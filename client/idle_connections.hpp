// Connections that are left over and wait for the next request to their target. For one loop.
#pragma once

#include "client/http_wire.hpp"
#include "client/timers.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>

namespace troupe::net {

class idle_connections {
public:
  /// `connections_max`: over all targets; above, the one is closed that has waited for the longest.
  idle_connections(timers_ptr clock, std::size_t connections_max,
                   std::chrono::milliseconds kept_for)
      : clock_(clock), connections_max_(connections_max), kept_for_(kept_for), end_(clock) {}
  idle_connections(const idle_connections&) = delete;
  idle_connections& operator=(const idle_connections&) = delete;

  /// The one that was used last, if that is at most `age` ago; null if there is none. The others of
  /// the target that the other side has closed are closed, too.
  [[nodiscard]] std::unique_ptr<http_wire> take(const std::string& target,
                                                std::chrono::milliseconds age);
  void keep(std::string target, std::unique_ptr<http_wire> wire);
  /// Closes them, and keeps none from now on.
  void close();
  /// Closes them.
  void clear();
  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }

private:
  void end_old();

  struct left_over {
    std::string target;
    std::unique_ptr<http_wire> wire;
    time_point since;
  };

  const timers_ptr clock_;
  const std::size_t connections_max_;
  const std::chrono::milliseconds kept_for_;
  std::deque<left_over> all_; ///< In the order in which they end.
  timer end_;                 ///< Of the first of `all_`.
  bool is_closed_ = false;
};

} // namespace troupe::net
