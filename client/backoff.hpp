// How long to wait before something that failed is tried again. A plain function.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace troupe::net {

/// After the n-th failure in a row (from 1): `first`, then twice as long each time, at most
/// `longest`; of that a quarter less or more, as `chance` says (from 0 to 1, at random), so that
/// those who failed together do not come back together.
[[nodiscard]] inline std::chrono::milliseconds backoff(std::chrono::milliseconds first,
                                                       std::chrono::milliseconds longest,
                                                       std::uint32_t failures, double chance) {
  auto wait = first;
  for (std::uint32_t i = 1; i < failures && wait < longest; ++i)
    wait *= 2;
  wait = std::min(wait, longest);
  return std::chrono::milliseconds{
      static_cast<std::int64_t>(static_cast<double>(wait.count()) * (0.75 + chance / 2))};
}

} // namespace troupe::net
