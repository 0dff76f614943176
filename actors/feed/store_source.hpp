// The store as the source of feeds: of a task, of an objective with everything below it, of
// everything.
#pragma once

#include "actors/feed/source.hpp"

namespace troupe {

/// `records` outlives what is made here. `reader`: who reads, and whose turn it is when reads wait
/// for the disk (`client_of`); the default is the program itself.
[[nodiscard]] feed_source_ptr make_task_source(store& records, task_id id, principal reader = {});
[[nodiscard]] feed_source_ptr make_objective_source(store& records, objective_id id,
                                                    principal reader = {});
/// Every change of every stream, from now on: the snapshot is empty.
[[nodiscard]] feed_source_ptr make_store_source(store& records);

} // namespace troupe
