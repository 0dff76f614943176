// What must outlive the process, behind one interface. Actors hand in changes; once a change is durable it becomes visible:
// the committed records are updated, watchers are told, and the sender's continuation runs, in this order. Everybody who reads
// (GetTask, ListTasks, objectives/get, streams) reads committed records here and never disturbs an actor.
//
// Thread-safe throughout.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "protocol/command.hpp"
#include "protocol/errc.hpp"
#include "protocol/event.hpp"
#include "protocol/objective.hpp"
#include "protocol/task.hpp"
#include "store/limits.hpp"
#include "store/push_configs.hpp"

namespace troupe {

/// Sees the committed changes of one task or of one objective with all its tasks, in commit order, none missing. Called under a
/// lock of the store by whichever thread commits: queue the change and return, never block, never call the store.
class watcher {
public:
  virtual ~watcher() = default;
  virtual void on_change(const change_ptr& what) = 0;
};

using watcher_ptr = std::shared_ptr<watcher>;

/// Runs once the change is visible; on the committing thread, so it only sends messages.
using committed_fn = std::function<void()>;

/// What follows a snapshot of something that has ended: nothing. Greater than every sequence.
inline constexpr std::uint64_t sequence_end = std::numeric_limits<std::uint64_t>::max();

/// A task at one moment, and where in its stream that moment is: no later change of the task has a sequence up to this one, and none
/// that it includes has a greater one.
struct task_snapshot {
  task_ptr record;            ///< Null if unknown.
  std::uint64_t sequence = 0; ///< Of the stream (objective or lone task, event.hpp); sequence_end: the task has ended.
};

struct objective_snapshot {
  objective_ptr view; ///< Null if unknown.
  std::uint64_t sequence = 0;
};

/// Which part of a stream's past is asked for: sequences in (after, through], at most `max` changes at a time.
struct journal_range {
  std::uint64_t after = 0;
  std::uint64_t through = sequence_end;
  std::size_t max = journal_page_changes_max; ///< 1 to journal_page_changes_max; above, that many.
};

/// A piece of a stream's past.
struct journal_page {
  std::vector<change_ptr> changes; ///< Committed, in order. May be empty although there is more, see `next_after`.
  std::uint64_t next_after = 0;    ///< `after` of the next page.
  bool more = false;               ///< There may be a next page.
  /// What came right behind `after` is not kept (a store without journal, or one that was cut). Show a snapshot instead.
  bool gone = false;
};

/// One page of ListTasks (A2A 1.0 section 3.1.4).
struct task_page {
  std::vector<task_ptr> tasks;
  std::string next_page_token; ///< Empty on the last page.
  std::uint64_t total_size = 0; ///< On all pages. A task that begins or ends while the list is made may be counted twice.
};

struct objective_page {
  std::vector<objective_ptr> objectives; ///< Most recently updated first.
  std::string next_page_token;
  std::uint64_t total_size = 0;
};

/// Everything recovery needs to set one live stream going again.
struct recovered {
  std::vector<objective_ptr> objectives; ///< Not settled. Tasks among them that ran are still `working`.
  std::vector<task_ptr> lone_tasks;      ///< Not terminal.
  std::uint64_t events_replayed = 0;
  std::string repaired; ///< What was cut off or mended on the way, in words; empty if nothing.
};

/// How healthy and how busy the store is; for /readyz, for refusing early, and for people.
struct store_status {
  bool writable = true;
  std::string problem;             ///< Why not, in words, with what to do.
  std::size_t backlog_changes = 0; ///< Submitted and not yet durable.
  std::size_t live_tasks = 0;
  std::size_t live_objectives = 0;
};

/// The disk could not be read, or what it holds is not what was written: whether a record exists is then not known. Thrown by whatever
/// reads records. The message says what could not be read and why.
class store_unreadable : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

class store {
public:
  virtual ~store() = default;

  // -- writing ---------------------------------------------------------------------------------------------------------

  /// Makes `what` durable, then visible, then calls `then`. In a store that needs no waiting all of it happens before
  /// this returns. Changes submitted by one thread or actor for one stream are committed in the order of submission. If the disk is
  /// full or broken the change is kept and tried again; it is never dropped and never reported as done.
  /// `follow` (for a change that creates a task or an objective): watches what is created from its first event on.
  /// A change about a task that has ended, or about something that was never created, changes nothing and is shown to nobody; `then` is
  /// called all the same: a late result never overwrites what has ended.
  virtual void commit(change what, committed_fn then = nullptr, watcher_ptr follow = nullptr) = 0;

  // -- reading committed records ---------------------------------------------------------------------------------------
  // Each of these, snapshots included, throws store_unreadable.

  /// Null if unknown. A plan's task that has not begun is shown as SUBMITTED.
  [[nodiscard]] virtual task_ptr find_task(const task_id& id) const = 0;
  /// Null if unknown. A snapshot.
  [[nodiscard]] virtual objective_ptr find_objective(const objective_id& id) const = 0;
  /// The objective a plan belongs to; nothing if unknown.
  [[nodiscard]] virtual std::optional<objective_id> objective_of(const plan_id& id) const = 0;
  /// Whether a task, plan or objective of that id exists; asked before a client's own id is taken.
  [[nodiscard]] virtual bool knows_task(const task_id& id) const = 0;
  [[nodiscard]] virtual bool knows_objective(const objective_id& id) const = 0;
  /// As `owner` sees them (owner_of): what is somebody else's is answered like what does not exist. Whoever answers a request asks these.
  [[nodiscard]] task_ptr find_task_of(const std::string& owner, const task_id& id) const {
    auto found = find_task(id);
    return found && found->owner == owner ? found : nullptr;
  }
  [[nodiscard]] objective_ptr find_objective_of(const std::string& owner, const objective_id& id) const {
    auto found = find_objective(id);
    return found && found->owner == owner ? found : nullptr;
  }
  /// The objective with the plan.
  [[nodiscard]] objective_ptr find_objective_of(const std::string& owner, const plan_id& id) const {
    const auto whole = objective_of(id);
    return whole ? find_objective_of(owner, *whole) : nullptr;
  }
  /// Of what the one who asks owns: tasks that have begun, and in the context of an objective those that have not, too, as find_task shows
  /// them. Of tasks what `view` shows, the rest may be missing. A page ends with the row that passes page_bytes_max. errc::invalid_params
  /// for a page token that is not ours.
  [[nodiscard]] virtual result<task_page> list(const list_tasks& query) const = 0;
  [[nodiscard]] virtual result<objective_page> list(const list_objectives& query) const = 0;

  // -- watching --------------------------------------------------------------------------------------------------------

  /// The task as of now, and every later change of it to `who`: nothing between the two is lost or doubled. Null if unknown;
  /// a terminal task is returned and not watched. With a null `who` it is only looked at.
  [[nodiscard]] virtual task_snapshot snapshot_task(const task_id& id, watcher_ptr who) = 0;
  /// The same for an objective with all its tasks.
  [[nodiscard]] virtual objective_snapshot snapshot_objective(const objective_id& id, watcher_ptr who) = 0;
  /// The snapshots for whoever does not ask for the past.
  [[nodiscard]] task_ptr watch_task(const task_id& id, watcher_ptr who) {
    return snapshot_task(id, std::move(who)).record;
  }
  [[nodiscard]] objective_ptr watch_objective(const objective_id& id, watcher_ptr who) {
    return snapshot_objective(id, std::move(who)).view;
  }
  /// No call to `who` begins after this returned.
  virtual void unwatch(const std::string& task_or_objective, const watcher_ptr& who) = 0;

  // -- the past --------------------------------------------------------------------------------------------------------

  /// Changes that a watcher of the task would have seen, from the journal. To go on where somebody stopped at sequence K without a
  /// hole and without a double: watch first (snapshot at N), read (K, N] from here, then show what the watcher has gathered.
  /// Errors: task_not_found; store_failed for a journal that cannot be read.
  [[nodiscard]] virtual result<journal_page> read_changes(const task_id& id, const journal_range& range) const = 0;
  /// The same for an objective with all its tasks. Errors: objective_not_found, store_failed.
  [[nodiscard]] virtual result<journal_page> read_changes(const objective_id& id, const journal_range& range) const = 0;

  // -- push configurations ---------------------------------------------------------------------------------------------

  /// As long-lived as the store.
  [[nodiscard]] virtual push_configs& pushes() = 0;

  // -- life ------------------------------------------------------------------------------------------------------------

  /// What was live when the last process ended. Call once, before the first commit.
  [[nodiscard]] virtual result<recovered> recover() = 0;
  /// Drops settled objectives and everything of theirs from memory if they have been settled since before `settled_before`;
  /// they are read from disk from then on. One that somebody watches, or that is not written yet, stays until a later call. A store
  /// without a disk keeps them to its bounds, however old (memory_bounds).
  virtual void evict(timestamp settled_before) = 0;
  [[nodiscard]] virtual store_status status() const = 0;
  /// Waits until everything submitted is durable.
  virtual void flush() = 0;
  /// For whoever goes before the store does: waits until every continuation handed in so far has run. While the disk refuses, those
  /// that wait are dropped without having run; their changes are kept and tried again all the same.
  virtual void drain() = 0;
};

enum class durability : std::uint8_t {
  sync, ///< Acknowledged after fsync: survives power loss.
  async ///< Acknowledged after write: survives kill -9, not power loss.
};

/// What a store without a disk keeps of what has ended; the oldest go first. Beside it, what lives.
struct memory_bounds {
  std::size_t tasks = finished_tasks_max;           ///< Finished tasks; and tasks of settled objectives.
  std::size_t bytes = finished_bytes_max;           ///< Of finished tasks, roughly.
  std::size_t objectives = settled_objectives_max; ///< Settled ones. With one go its tasks. Somebody who watches it keeps it.
};

/// Nothing outlives the process.
[[nodiscard]] std::unique_ptr<store> make_memory_store(const memory_bounds& bounds = {});

struct rocksdb_options {
  std::string directory; ///< Made if missing.
  troupe::durability durability = durability::sync;
};

/// Everything in RocksDB under `directory`. Errors: store_locked (another process has it open), store_failed (cannot create,
/// not writable, damaged; the message says which and what to do).
[[nodiscard]] result<std::unique_ptr<store>> open_rocksdb_store(const rocksdb_options& options);

/// Whether open_rocksdb_store finds a store in `directory` and makes none. True also where that cannot be told: opening says why.
[[nodiscard]] bool holds_rocksdb_store(const std::string& directory);

} // namespace troupe
