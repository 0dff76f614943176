// What a task's changes lead to, up to a cursor: for the checkers, and independent of the product's
// own fold.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/history.hpp"

namespace troupe::sim {

/// Cursors in their order: "17" stands behind all events of change 17, "17.2" behind its third.
using place = std::pair<std::uint64_t, std::uint64_t>;

inline constexpr place first_place{0, 0};
inline constexpr place last_place{std::numeric_limits<std::uint64_t>::max(),
                                  std::numeric_limits<std::uint64_t>::max()};

[[nodiscard]] place place_of(std::string_view cursor);

/// A task after some of its changes.
struct folded_task {
  std::string state = "TASK_STATE_SUBMITTED";
  std::map<std::string, std::string> artifacts; ///< Text by id.

  void apply(const stream_event& event);
};

/// After all events up to `until`.
[[nodiscard]] folded_task fold(const std::vector<stream_event>& journal, const place& until);

/// The changes of the task; empty if there are none.
[[nodiscard]] const std::vector<stream_event>& journal_of(const history& seen,
                                                          const std::string& task);

} // namespace troupe::sim
