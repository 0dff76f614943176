// The answers of a store's reads, from the ledger and from the reads of ended tasks and objectives:
// errors instead of null, an error for a disk that failed. Plain functions; both stores use them.
#pragma once

#include "store/ledger.hpp"
#include <troupe/store/store.hpp>

#include <string>

namespace troupe {

/// What `read` returns, or why the disk could not be read.
template<class T, class Read>
[[nodiscard]] result<T> unless_unreadable(Read read) {
  try {
    return read();
  } catch (const store_unreadable& failure) {
    return make_error(errc::store_unreadable, failure.what());
  }
}

[[nodiscard]] result<task_ptr> answer_task(const ledger& live, const archive_reads& ended,
                                           const task_id& id);
[[nodiscard]] result<objective_ptr> answer_objective(const ledger& live, const archive_reads& ended,
                                                     const objective_id& id);
[[nodiscard]] result<objective_ptr> answer_objective(const ledger& live, const archive_reads& ended,
                                                     const plan_id& id);
[[nodiscard]] result<placement> answer_placement(const ledger& live, const archive_reads& ended,
                                                 const task_id& id);
[[nodiscard]] result<placement> answer_placement(const ledger& live, const archive_reads& ended,
                                                 const objective_id& id);
[[nodiscard]] result<placement> answer_placement(const ledger& live, const archive_reads& ended,
                                                 const plan_id& id);
[[nodiscard]] result<task_snapshot> answer_snapshot(ledger& live, const archive_reads& ended,
                                                    const task_id& id, const watcher_ptr& who);
[[nodiscard]] result<objective_snapshot> answer_snapshot(ledger& live, const archive_reads& ended,
                                                         const objective_id& id,
                                                         const watcher_ptr& who);
/// errc::duplicate_id if a task, plan or objective has one of the ids.
[[nodiscard]] result<void> answer_unused(const ledger& live, const archive_reads& ended,
                                         const std::vector<std::string>& ids);

} // namespace troupe
