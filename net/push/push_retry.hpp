// What follows from one attempt to deliver a notification (docs/push.md): done, again later, leave
// this event out, or stop the configuration; and whether the next configuration has its turn. Pure
// decisions; the sender carries them out.
#pragma once

#include <troupe/net/push_options.hpp>
#include <troupe/protocol/errc.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace troupe::net {

/// How an attempt ended.
struct push_attempt {
  unsigned status = 0; ///< HTTP; 0: there was no answer, see `failure`.
  error failure; ///< invalid_params: the address is not allowed. is_ours: it was not even tried.
  std::optional<std::chrono::milliseconds> retry_after; ///< As the answer asks.
};

enum class push_step : std::uint8_t {
  delivered, ///< On to the next event.
  retry,     ///< The same event again after `wait`.
  postpone,  ///< The same, and it is no failure of the receiver.
  skip,      ///< The receiver does not want this event: on to the next.
  stop       ///< Nothing is sent any more.
};

struct push_verdict {
  push_step step = push_step::delivered;
  std::chrono::milliseconds wait{0};
  std::string
      reason; ///< What went wrong, for people; empty if delivered. Names no token and no path.
};

/// For reasons of ours that pass: too much was to be done, or the disk could not be read.
[[nodiscard]] bool is_ours(const error& failure) noexcept;

/// `failures`: consecutive ones before this attempt. `chance`: of [0, 1), spreads the waits.
[[nodiscard]] push_verdict judge(const push_attempt& attempt, std::uint32_t failures, double chance,
                                 const push_options& options);

/// Attempts of one configuration before others of the same host have their turn.
inline constexpr std::size_t turn_attempts_max = 16;

/// Whether a configuration that has made so many attempts in so much time lets others have their
/// turn: after turn_attempts_max, or once they have taken as long as one attempt may. So no turn
/// is longer than two time-outs, and what the store takes to read.
[[nodiscard]] bool is_turn_over(std::size_t attempts, std::chrono::nanoseconds taken,
                                const push_options& options) noexcept;

/// Whether a host that has answered after `taken`, with the whole body or as much as counts, leaves
/// its place soon: within a quarter of the time-out. If not, it shares places with those that hang.
[[nodiscard]] bool is_prompt(std::chrono::nanoseconds taken, const push_options& options) noexcept;

} // namespace troupe::net
