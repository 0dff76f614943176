// Replacing the files of a journal by one new segment. For tools, while nothing has the journal
// open.
#pragma once

#include "store/journal/disk.hpp"
#include "store/journal/frame.hpp"
#include <troupe/protocol/errc.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace troupe::journal {

/// Writes `groups`, of which the first has the position `first`, as a journal with one segment, and
/// removes all other segments. All of it is synced. If the disk refuses, or the process ends, the
/// journal is as it was, or as it will be, or its start is refused because its end is missing; then
/// call again. Errors: store_failed.
[[nodiscard]] result<void> rewrite_journal(disk& files, std::uint64_t journal_id, position first,
                                           const std::vector<std::string>& groups);

} // namespace troupe::journal
