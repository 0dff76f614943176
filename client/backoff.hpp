// How long to wait before something that failed is tried again. Plain functions.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>

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

/// From 0 to 1, for `backoff`; the same for the same `id` and `count`. Those with other ids wait
/// for other times.
[[nodiscard]] inline double chance_of(std::string_view id, std::uint32_t count) {
  // FNV-1a over the id, then the finalizer of splitmix64: ids differ in few bits.
  std::uint64_t mixed = 0xcbf29ce484222325U;
  for (const char each : id)
    mixed = (mixed ^ static_cast<unsigned char>(each)) * 0x100000001b3U;
  mixed += count * 0x9e3779b97f4a7c15U;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
  mixed ^= mixed >> 31U;
  return static_cast<double>(mixed >> 11U) * 0x1p-53;
}

} // namespace troupe::net
