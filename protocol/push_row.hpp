// A push configuration as it is kept: with how far its notifications have got. Read and written by the store and by the sender of
// notifications; nobody else sees it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/errc.hpp"
#include "protocol/push_config.hpp"
#include "protocol/time.hpp"

namespace troupe {

/// How far the notifications of one configuration have got, and how well it goes.
struct push_progress {
  std::uint64_t after = 0;     ///< All changes of the task's stream up to this one are done with.
  std::uint32_t events = 0;    ///< Of the task's next change, so many events are done with.
  bool snapshot_first = false; ///< The task as it is comes before anything else.
  std::uint32_t failures = 0;  ///< Attempts that failed since the last that did not.
  std::string stopped = {};    ///< Why nothing is sent any more, in words; empty: active.
  timestamp stopped_at{};      ///< If stopped.

  friend bool operator==(const push_progress&, const push_progress&) = default;
};

struct push_row {
  push_config config;
  std::uint64_t serial = 0; ///< Given by the store, new with every save: tells a replaced configuration from its successor.
  push_progress progress;
};

namespace record {

/// What the store's row holds; the key has the task's id and the configuration's.
void write(std::string& out, const push_row& what);
/// errc::store_failed for a row that is damaged.
[[nodiscard]] result<push_row> read_push_row(std::string_view row, std::string_view task, std::string_view id);

} // namespace record

} // namespace troupe
