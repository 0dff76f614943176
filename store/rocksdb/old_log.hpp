// The log of RocksDB itself, which had the latest changes of a data directory of format 1. RocksDB
// replays it when the tables are opened, but it treats any damage as the end of the log, and
// deletes what follows. So the log is checked first.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <rocksdb/env.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// What the records of one log file are like.
struct old_log_scan {
  std::uint64_t batches = 0;                ///< Whole ones before `bad_at`.
  std::optional<std::uint64_t> bad_at;      ///< Begin of the first batch that is not whole.
  std::optional<std::uint64_t> readable_at; ///< A later batch begins here.
};

/// `bytes` is the whole file.
[[nodiscard]] old_log_scan scan_old_log(std::string_view bytes);

/// Reads all log files in `directory` and changes nothing. A sentence if the last batch was cut
/// short, else empty. errc::store_failed if whole batches follow damage (the message names
/// file and offset), store_unreadable.
[[nodiscard]] result<std::string> look_at_old_log(rocksdb::Env& env, const std::string& directory);

} // namespace troupe
