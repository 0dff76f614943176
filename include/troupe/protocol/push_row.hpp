// A push configuration as the store keeps it, with the progress of its notifications. Only the
// store and the sender of notifications use it.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/push_config.hpp>
#include <troupe/protocol/time.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

/// The last delivered event of one configuration, and its failures.
struct push_progress {
  /// All changes of the task's stream up to this one are delivered or given up.
  std::uint64_t after = 0;
  std::uint32_t events = 0;    ///< The same for this many events of the task's next change.
  bool snapshot_first = false; ///< A snapshot of the task is sent first.
  std::uint32_t failures = 0;  ///< Consecutive failed attempts.
  std::string stopped = {};    ///< Why nothing is sent any more, in words; empty: active.
  timestamp stopped_at{};      ///< If stopped.

  friend bool operator==(const push_progress&, const push_progress&) = default;
};

struct push_row {
  push_config config;
  /// Set by the store, new with every save: distinguishes a replaced configuration from its
  /// successor.
  std::uint64_t serial = 0;
  push_progress progress;
};

namespace record {

/// The value of the store's row; the key has the ids of the task and of the configuration.
void write(std::string& out, const push_row& row);
/// errc::store_failed for a row that is damaged.
[[nodiscard]] result<push_row> read_push_row(std::string_view row, std::string_view task,
                                             std::string_view id);

} // namespace record

} // namespace troupe
