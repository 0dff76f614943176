// When a broken stream is taken up again. A plain function.
#pragma once

#include "client/backoff.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

namespace troupe::a2a {

/// Tries in a row without an event between them; half a minute together.
inline constexpr unsigned reconnections_max = 10;

/// How long to wait after the n-th failure in a row (from 1): net::backoff from 0.25 s to 5 s; what
/// the server says, if that is longer, up to a minute. `chance`: from 0 to 1, at random. Nothing:
/// give up.
[[nodiscard]] inline std::optional<std::chrono::milliseconds>
wait_before_reconnection(unsigned failures, std::optional<std::chrono::milliseconds> said_by_server,
                         double chance) {
  using std::chrono::milliseconds;
  constexpr milliseconds longest_said{60'000};
  if (failures > reconnections_max)
    return std::nullopt;
  const auto wait = net::backoff(milliseconds{250}, milliseconds{5'000}, failures, chance);
  return std::max(wait, std::min(said_by_server.value_or(milliseconds{0}), longest_said));
}

} // namespace troupe::a2a
