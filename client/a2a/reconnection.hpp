// When a broken stream is taken up again. A plain function.
#pragma once

#include <chrono>
#include <optional>

namespace troupe::a2a {

/// Tries in a row without an event between them; half a minute together.
inline constexpr unsigned reconnections_max = 10;

/// How long to wait after the n-th failure in a row (from 1): 0.25 s, then twice as long each time,
/// at most 5 s; what the server says, if that is longer, up to a minute. Nothing: give up.
[[nodiscard]] inline std::optional<std::chrono::milliseconds>
wait_before_reconnection(unsigned failures,
                         std::optional<std::chrono::milliseconds> said_by_server) {
  using std::chrono::milliseconds;
  constexpr milliseconds longest{5'000};
  constexpr milliseconds longest_said{60'000};
  if (failures > reconnections_max)
    return std::nullopt;
  milliseconds wait{250};
  for (unsigned i = 1; i < failures && wait < longest; ++i)
    wait *= 2;
  wait = wait < longest ? wait : longest;
  if (said_by_server && *said_by_server > wait)
    wait = *said_by_server < longest_said ? *said_by_server : longest_said;
  return wait;
}

} // namespace troupe::a2a
