// Starting up, after `replay` (replay.hpp): replays the journal after the mark. Groups that are
// missing from the tables are applied like new ones: to rows and to the ledger.
#pragma once

#include "store/group.hpp"
#include "store/journal/disk.hpp"
#include "store/journal/journal.hpp"
#include "store/ledger.hpp"
#include "store/once_table.hpp"
#include "store/push_table.hpp"
#include "store/rocksdb/rocksdb_archive.hpp"
#include "store/rocksdb/rocksdb_store.hpp"

#include <rocksdb/db.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace troupe {

/// The parts of a store that a group concerns.
struct table_parts {
  rocksdb::DB& db;
  ledger& live;
  rocksdb_archive& archive;
  push_table& pushes;
  once_table& came;
};

/// Where a change is in the journal whose row came in parts.
struct long_change_place {
  parts_id parts;
  journal::position change = 0; ///< Its own group; 0: not yet there.
};

struct caught_up {
  std::uint64_t events = 0;                    ///< That were read.
  std::vector<long_change_place> long_changes; ///< Of the groups that were read.
  std::size_t unfinished = 0; ///< Changes of which the journal has parts only: they never were.
};

/// Applies the groups of `from` after `mark` (the last group in the tables) and moves the mark.
/// Objectives that may be sealed now are added to `settled`. Parts of long changes are also read
/// before the mark. `files` is the journal's disk. `origin`: what the tables are made of first;
/// changes of the journal that it has already are passed over. `now`: what may come once and is
/// over then is not forgotten early. Errors: store_failed (a group does not follow from the tables,
/// or they cannot be written), store_unreadable.
[[nodiscard]] result<caught_up>
catch_up(journal::journal& from, journal::disk& files, journal::follower_mark& mark,
         const table_parts& to, std::vector<objective_id>& settled, timestamp now,
         const std::function<void(const start_progress&)>& on_progress,
         const table_origin* origin = nullptr);

/// What to do while RocksDB takes no rows, or few, because too much waits for its disk.
enum class when_stalled : std::uint8_t {
  wait,
  refuse, ///< The status is Incomplete.
};

/// Writes rows to the tables together with their mark: both are on the disk after a crash, or
/// neither is. If it fails, `rows` are as they were.
[[nodiscard]] rocksdb::Status write_rows(rocksdb::DB& db, rocksdb::WriteBatch& rows,
                                         const journal::follower_mark& mark,
                                         when_stalled stalled = when_stalled::wait);

} // namespace troupe
