// Reading the history of one stream from the tables, a page at a time, for readers that continue
// where they stopped (store.hpp, read_changes). Startup reads whole streams: replay.hpp.
#pragma once

#include "store/ledger.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/task.hpp>
#include <troupe/store/store.hpp>

#include <rocksdb/db.h>

namespace troupe {

/// What a watcher of the task would have seen: of a lone task's stream everything; of an
/// objective's, the task's own changes and, if it never began, its withdrawal.
[[nodiscard]] result<history_page> read_history(rocksdb::DB& db, const ledger& live,
                                                const archive_reads& ended, const task_id& id,
                                                const history_range& range);
[[nodiscard]] result<history_page> read_history(rocksdb::DB& db, const ledger& live,
                                                const archive_reads& ended, const objective_id& id,
                                                const history_range& range);

/// A plan's task_created row holds only its address (protocol/record/record.hpp): adds the plan it
/// points to.
void complete_origin(task& record, const objective_view& owner, const task_address& where);

} // namespace troupe
