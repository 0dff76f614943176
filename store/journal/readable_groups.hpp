// The groups of a journal that can be read, whatever else is damaged. For tools: a journal with
// damage is not opened (journal.hpp).
#pragma once

#include "store/journal/disk.hpp"
#include "store/journal/frame.hpp"
#include <troupe/protocol/errc.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace troupe::journal {

struct readable_group {
  position at = 0;
  std::string_view file;
  std::uint64_t offset = 0; ///< Of the bytes in the file.
  std::string_view bytes;
};

/// Reads all segments of the journal, or of the one whose segment comes first if no id is given,
/// and calls `visit` with each group that can be relied on. Positions grow; there are gaps where
/// groups are damaged. Segments that the manifest does not name are left out if it can be read: a
/// rewrite or a start that was interrupted leaves them. So are groups behind a write that was cut
/// short, and those behind damage in a segment whose end is not known (the next segment cannot be
/// read): they may be those of an abandoned write. Errors: store_unreadable (the disk failed).
[[nodiscard]] result<void>
for_each_readable_group(disk& files, std::optional<std::uint64_t> journal_id,
                        const std::function<void(const readable_group&)>& visit);

} // namespace troupe::journal
