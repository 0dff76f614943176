// What the ledger asks of the place where ended things go: ended tasks, settled objectives,
// and who owns an id that a client chose. In memory or on disk; the ledger does not know which.
// Thread-safe.
#pragma once

#include "protocol/fold/withdrawals.hpp"
#include "store/page.hpp"
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/task.hpp>
#include <troupe/store/store.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace troupe {

/// Where a plan is.
struct plan_place {
  objective_id objective;
  std::uint32_t plan = 0;
};

/// Where a plan's task is.
struct task_place {
  objective_id objective;
  std::uint32_t plan = 0;
  std::uint32_t task = 0;
};

/// The placement that the record itself says.
[[nodiscard]] placement placement_of(const task& record);
[[nodiscard]] placement placement_of(const objective_view& record);

/// Everything that is known about an objective beside its tasks' records.
struct objective_state_of_record {
  std::shared_ptr<objective_view> view;
  std::vector<withdrawal> withdrawn;
  std::uint64_t sequence = 0; ///< Of its last change.
  timestamp at{};             ///< Of its last change.
};

/// When the objective, or one of its tasks in a plan, was changed last, as far as its view says. If
/// none of its tasks is live, nothing was later.
[[nodiscard]] timestamp last_changed(const objective_view& record);

/// Makes `news` the change after the one with this sequence and time: gives it the next sequence,
/// and a time that is not before it. A change that has a sequence keeps both.
inline void follow_on(change& news, std::uint64_t sequence, timestamp at) {
  if (news.sequence != 0)
    return;
  news.sequence = sequence + 1;
  news.at = std::max(news.at, at);
}

/// What is to be kept of what ends.
class archive {
public:
  virtual ~archive() = default;

  /// A task has ended. Called under a lock of the ledger, before the task leaves the live table.
  virtual void keep(const task_ptr& ended) = 0;
  /// A plan has been accepted: remember the ids in it that do not say where they belong (ids.hpp,
  /// make_task_id).
  virtual void learn(const objective_id& owner, std::uint32_t plan_index,
                     const plan_spec& plan) = 0;
  /// An objective leaves the ledger, and with it what is in memory of its tasks: they hold its
  /// plans. What has no row on a disk is gone for good, with the ids of its plans; then it is
  /// called under the ledger's lock of the objective.
  virtual void forget(const objective_view& gone) = 0;
};

/// The disk could not be read, or its content is not what was written: then it is not known whether
/// a record exists. The message says what could not be read and why.
class store_unreadable : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Reads what is kept. An implementation that reads memory only may not know everything: the caller
/// then looks again with one that reads the disk. Never called under a lock of the ledger.
/// Functions that read the disk throw store_unreadable.
class archive_reads {
public:
  virtual ~archive_reads() = default;

  /// An ended task, if it is in memory. Null: not known.
  [[nodiscard]] virtual task_ptr recall_task(const task_id& id) const = 0;
  /// An ended task that `recall_task` has not given; null if unknown (or not kept any more).
  [[nodiscard]] virtual task_ptr find_task(const task_id& id) const = 0;
  /// Whether find_task would find one.
  [[nodiscard]] virtual bool has_task(const task_id& id) const = 0;
  [[nodiscard]] virtual std::optional<task_place> place_of(const task_id& id) const = 0;
  [[nodiscard]] virtual std::optional<plan_place> place_of(const plan_id& id) const = 0;
  /// The owner and place of an ended task or a settled objective, if they can be had without its
  /// record. Nothing: not known.
  [[nodiscard]] virtual std::optional<placement> placement_of(const task_id& id) const = 0;
  [[nodiscard]] virtual std::optional<placement> placement_of(const objective_id& id) const = 0;
  /// An objective that has left the ledger.
  [[nodiscard]] virtual std::optional<objective_state_of_record>
  find_objective(const objective_id& id) const = 0;
  [[nodiscard]] virtual bool has_objective(const objective_id& id) const = 0;

  /// The first `count` ended tasks after `after` that pass, in list order, and how many pass in
  /// all. What `view` does not show may be missing in them, and they may end with the one that
  /// passes page_bytes_max (bytes_shown).
  [[nodiscard]] virtual listed<task_ptr> list_tasks(const task_filter& filter,
                                                    const std::optional<position>& after,
                                                    std::size_t count,
                                                    const task_view_options& view) const = 0;
  /// The same for sealed objectives (those the ledger marks as written). errc::limit_exceeded: more
  /// records than listed_records_max have to be read to know.
  [[nodiscard]] virtual result<listed<objective_ptr>>
  list_objectives(const objective_filter& filter, objective_order order,
                  const std::optional<position>& after, std::size_t count) const = 0;
};

} // namespace troupe
