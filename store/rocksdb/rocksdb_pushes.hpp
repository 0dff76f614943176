// Push configurations as rows of the durable store.
#pragma once

#include "store/group.hpp"
#include "store/push_table.hpp"
#include <troupe/protocol/errc.hpp>

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <string>

namespace troupe {

/// Fills the table at start. errc::store_failed for a row that is damaged.
[[nodiscard]] result<void> read_pushes(rocksdb::DB& db, push_table& into);

/// Adds what the table has staged to a batch.
void put_pushes(rocksdb::WriteBatch& batch, const push_table& from);
/// Adds what the table has staged to a group of the journal.
void add_pushes(std::string& group, const push_table& from);
/// Stages what an entry of a group says. errc::store_failed for a row that is damaged.
[[nodiscard]] result<void> stage_push(push_table& into, const group_push& entry);

} // namespace troupe
