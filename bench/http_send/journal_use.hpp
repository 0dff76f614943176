// What a running server has written to its journal, read from the journal's files.
#pragma once

#include <cstdint>
#include <string>

namespace troupe::bench {

struct journal_use {
  std::uint64_t last_group = 0; ///< Groups are numbered 1, 2, 3 ...
  /// Of the groups after `since` that the files still have; segments that the tables no longer need
  /// are removed.
  std::uint64_t groups = 0;
  std::uint64_t bytes = 0;
};

/// `directory` is the data directory of a server, which may be running. Throws if there is no
/// journal.
[[nodiscard]] journal_use read_journal_use(const std::string& directory, std::uint64_t since);

} // namespace troupe::bench
