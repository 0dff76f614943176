// How many attempts ran at one moment.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include "sim/history.hpp"

namespace troupe::sim {

/// The greatest number of these that ran at one moment.
[[nodiscard]] inline std::size_t most_at_once(const std::vector<const attempt*>& of) {
  std::map<moment, int> turns; // How many begin or end.
  for (const auto* each : of) {
    if (each->ended == each->began)
      continue; // Done in one turn.
    ++turns[each->began];
    if (each->ended != 0)
      --turns[each->ended];
  }
  int now = 0;
  int most = 0;
  for (const auto& [at, change] : turns) {
    now += change;
    most = std::max(most, now);
  }
  return static_cast<std::size_t>(most);
}

} // namespace troupe::sim
