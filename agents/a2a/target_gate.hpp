// How many delegations to one target may be open, and how fast they may begin: back-pressure, so
// that a target that is slow or overloaded delays its own delegations only. A plain value; time is
// an argument. agents/a2a/target_queue.hpp keeps those that wait.
#pragma once

#include "agents/a2a/limits.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/time_source.hpp>

#include <chrono>
#include <cstddef>
#include <optional>

namespace troupe {

struct target_limits {
  std::size_t open_max = target_open_max; ///< Remote tasks at once; 0: no limit.
  double rate_max = 0;                    ///< New ones in a second; 0: no limit.
};

/// Requests in a second once a target without a limit has refused one, before it is halved.
inline constexpr double rate_after_refusal = 16;
/// The lowest: a target that refuses everything is asked so often.
inline constexpr double rate_min = 0.1;

class target_gate {
public:
  using point = time_source::steady_point;

  explicit target_gate(target_limits limits) : limits_(limits), rate_(limits.rate_max) {}

  /// When the next one may begin; nothing: when another one has ended.
  [[nodiscard]] std::optional<point> next_begin(point now) const;
  /// One begins.
  void begin(point now);
  /// One goes on that an earlier process has begun: it is open, and was not let in here.
  void rejoin() noexcept { ++open_; }
  void end() noexcept { --open_; }

  /// One that has begun sends its request again: when it may.
  [[nodiscard]] point again(point now);

  /// The target has refused a request because it has too many (HTTP 429, 503): the rate is halved,
  /// once a second at most. `retry_after`: what it says.
  void refused(point now, std::optional<std::chrono::seconds> retry_after);
  /// It has taken one: the rate rises by a tenth, up to what it was.
  void accepted() noexcept;

  [[nodiscard]] std::size_t open() const noexcept { return open_; }
  /// Requests in a second; 0: no limit.
  [[nodiscard]] double rate() const noexcept { return rate_; }

private:
  void take_turn(point at);

  target_limits limits_;
  double rate_;
  std::size_t open_ = 0;
  point next_{};
  std::optional<point> lowered_at_;
};

/// What a target says with an error that refuses a request because it has too many; nothing for
/// other errors. Such a request was not taken, and may be sent again.
struct gate_refusal {
  std::optional<std::chrono::seconds> retry_after;
};
[[nodiscard]] std::optional<gate_refusal> refusal_in(const error& why);

} // namespace troupe
