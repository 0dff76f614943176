// `troupe store repair`: continues a data directory whose journal is damaged, with what can be
// kept.
//
// The tables have all groups up to their mark, and need none of them from the journal. So the
// groups after the mark are kept, up to the first one that cannot be read. They become a journal of
// one new segment; the old segments go. Everything behind the gap is lost, because each change
// follows from those before it. If the damage is in a group that the tables have, nothing is lost.
#pragma once

#include "protocol/record/change_line.hpp"
#include <troupe/protocol/errc.hpp>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace troupe {

/// What is lost of one stream.
struct lost_stream {
  std::string id;
  bool is_lone = false;    ///< A lone task's.
  std::uint64_t first = 0; ///< Sequence of the first lost change, and of the last.
  std::uint64_t last = 0;
  std::uint64_t changes = 0;
  std::set<std::string> tasks; ///< That the changes are about.
};

struct repair_report {
  bool is_needed = false;
  std::string damage;                  ///< What is wrong, in sentences; empty if nothing.
  std::uint64_t mark = 0;              ///< The last group in the tables.
  std::uint64_t last = 0;              ///< The last group that is kept.
  std::uint64_t lost_groups = 0;       ///< That can be read.
  std::uint64_t unreadable_groups = 0; ///< Known to have been written, and lost.
  std::uint64_t lost_pushes = 0;       ///< New values of push configurations.
  std::vector<lost_stream> lost;       ///< In the order of their first change.
  std::string copy; ///< The directory as it was before; empty if nothing was changed.
};

/// Called with each change that is lost and can be read.
using lost_change_fn = std::function<void(const record::keyed_row&, std::uint64_t group)>;

/// Says what a repair would do. Changes nothing. Errors: store_locked, store_failed (there is
/// nothing to read, the tables cannot be read, the journal is another one), store_unreadable.
[[nodiscard]] result<repair_report> plan_repair(const std::string& directory,
                                                const lost_change_fn& on_lost = nullptr);

/// Does it, if it is needed. Before, it copies the directory to `<directory>.before-repair-<n>`.
/// Errors: as above; store_failed if another user owns the directory, there is no room for the
/// copy, or the disk refuses: then the next start is refused as before, and the repair can be tried
/// again.
[[nodiscard]] result<repair_report> repair_store(const std::string& directory,
                                                 const lost_change_fn& on_lost = nullptr);

} // namespace troupe
