// Starting up: reads the history of what was live from the tables (not from the journal), applies
// the same events by the same functions, and puts the result in the ledger.
#pragma once

#include "store/ledger.hpp"
#include "store/once_table.hpp"
#include "store/rocksdb/rocksdb_store.hpp"

#include <rocksdb/db.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace troupe {

/// Fills `live`; the number of events that were read. Settled objectives that were not sealed yet
/// are added to `settled`. errc::store_failed for rows that cannot be read.
[[nodiscard]] result<std::uint64_t>
replay(rocksdb::DB& db, ledger& live, std::vector<objective_id>& settled,
       const std::function<void(const start_progress&)>& on_progress);

/// Fills `into`. errc::store_failed for rows that cannot be read.
[[nodiscard]] result<void> replay_once(rocksdb::DB& db, once_table& into, timestamp now);

} // namespace troupe
