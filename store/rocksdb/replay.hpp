// Starting up: reads the journals of what was live, applies the same facts by the same functions,
// and puts the result in the ledger.
#pragma once

#include "store/ledger.hpp"
#include <troupe/store/store.hpp>

#include <rocksdb/db.h>

#include <vector>

namespace troupe {

/// Fills `live`. Settled objectives that were not sealed yet are added to `settled`.
/// errc::store_failed for rows that cannot be read.
[[nodiscard]] result<recovered> replay(rocksdb::DB& db, ledger& live,
                                       std::vector<objective_id>& settled);

} // namespace troupe
