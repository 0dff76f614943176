// Everything that must survive the process, behind one interface. Actors commit changes. When a
// change is durable it becomes visible: the committed records are updated, watchers are called, and
// the sender's continuation runs, in this order. All reads (GetTask, ListTasks, objectives/get,
// streams) read committed records here and never slow an actor.
//
// Thread-safe throughout.
#pragma once

#include <troupe/protocol/command.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/memory_budget.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/once.hpp>
#include <troupe/protocol/task.hpp>
#include <troupe/store/limits.hpp>
#include <troupe/store/push_configs.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace troupe {

/// Sees the committed changes of one task or of one objective with all its tasks, in commit order,
/// none missing. The publishing thread calls it under a lock of the store: queue the change and
/// return, never block, never call the store.
class watcher {
public:
  virtual ~watcher() = default;
  virtual void on_change(const change_ptr& change) = 0;
  /// Whether it may later read changes that it has seen (read_changes): a store without a history
  /// keeps the latest ones for it.
  [[nodiscard]] virtual bool reads_past() const noexcept { return false; }
};

using watcher_ptr = std::shared_ptr<watcher>;

/// What became of a change.
struct commit_outcome {
  /// This came before, and nothing was changed; it is durable. Null: the change is committed.
  once_ptr conflict{};
};

/// Runs once the change is visible, or refused by one of its conditions; on the publishing thread
/// (the writer in RocksDB), so it only sends messages. Takes the outcome, or nothing: a change
/// without conditions is always committed.
class committed_fn {
public:
  committed_fn() = default;
  committed_fn(std::nullptr_t) {}
  template<class F>
  requires(!std::same_as<
               std::remove_cvref_t<F>,
               committed_fn> && (std::invocable<F&> || std::invocable<F&, const commit_outcome&>))
      committed_fn(F call) {
    if constexpr (std::same_as<F, std::function<void()>>)
      if (!call)
        return;
    if constexpr (std::invocable<F&, const commit_outcome&>)
      call_ = std::move(call);
    else
      call_ = [call = std::move(call)](const commit_outcome&) mutable { call(); };
  }

  void operator()(const commit_outcome& outcome = {}) const { call_(outcome); }
  explicit operator bool() const noexcept { return static_cast<bool>(call_); }

private:
  std::function<void(const commit_outcome&)> call_;
};

/// Receives the outcome of a read exactly once: before the call returns if memory has the answer,
/// else later on a reader's thread. Must not block, must not throw.
template<class T>
using read_done = std::function<void(result<T>)>;

/// The sequence in a snapshot of an ended task or objective: no change follows. Greater than every
/// sequence of a change.
inline constexpr std::uint64_t sequence_end = std::numeric_limits<std::uint64_t>::max();

/// A task at one moment, and the position of that moment in its stream. The snapshot includes every
/// change of the task up to `sequence`, and no later one.
struct task_snapshot {
  task_ptr record;
  /// Of the stream (objective or lone task, event.hpp); sequence_end: the task has ended.
  std::uint64_t sequence = 0;
};

struct objective_snapshot {
  objective_ptr view;
  std::uint64_t sequence = 0;
};

/// A part of a stream's past: the sequences in (after, through], at most `max` changes at a time.
struct history_range {
  std::uint64_t after = 0;
  std::uint64_t through = sequence_end;
  std::size_t max = history_page_changes_max; ///< Clamped to 1..history_page_changes_max.
  /// Approximate: the change that exceeds it is the last one on the page.
  std::size_t bytes_max = history_page_bytes_max;
};

/// A piece of a stream's past.
struct history_page {
  /// Committed, in order. May be empty although there is more, see `next_after`.
  std::vector<change_ptr> changes;
  std::uint64_t next_after = 0; ///< `after` of the next page.
  bool more = false;            ///< There may be a next page.
  /// The changes right after `after` are not kept (a store without a history, or with one that was
  /// cut). Show a snapshot instead.
  bool gone = false;
};

/// One page of ListTasks (A2A 1.0 section 3.1.4).
struct task_page {
  std::vector<task_ptr> tasks;
  std::string next_page_token; ///< Empty on the last page.
  /// On all pages. A task that begins or ends while the list is made may be counted twice.
  std::uint64_t total_size = 0;
};

struct objective_page {
  std::vector<objective_ptr> objectives; ///< Most recently updated first.
  std::string next_page_token;
  std::uint64_t total_size = 0;
};

/// One page of open questions.
struct input_page {
  std::vector<task_ptr> tasks; ///< That ask. In order of their questions: the oldest first.
  std::string next_page_token; ///< Empty on the last page.
  std::uint64_t total_size = 0;
};

/// The place and the owner of an id. Known before any record is read.
struct placement {
  enum class id_kind : std::uint8_t { task, plan, objective };

  id_kind kind = id_kind::task;
  std::string owner;      ///< owner_of.
  objective_id objective; ///< Empty: a lone task, or the root task of an objective.
  std::uint32_t plan = 0; ///< Index in the objective; of plans and their tasks.
  std::uint32_t task = 0; ///< Index in the plan; of a plan's tasks.
};

/// Everything that recovery needs to continue what was live.
struct recovered {
  /// Not settled. Those of their tasks that ran are still `working`.
  std::vector<objective_ptr> objectives;
  std::vector<task_ptr> lone_tasks; ///< Not terminal.
  std::uint64_t events_replayed = 0;
  std::string repaired; ///< What was cut off or repaired, in words; empty if nothing.
};

/// The load of the readers of the disk, and the content of their cache of ended records. Zeros for
/// a store without a disk.
struct read_counters {
  /// Reads that wait for a reader or are being done; joined reads of one record count once each.
  std::size_t waiting = 0;
  /// Of records that were read and are still in use, without the cache.
  std::size_t bytes_handed_out = 0;
  std::size_t cached_records = 0;
  std::size_t cached_bytes = 0;
  std::uint64_t disk_reads = 0; ///< Since the start, as all that follow.
  std::uint64_t joined = 0;     ///< Answered by a read that waited already.
  std::uint64_t cache_hits = 0;
  std::uint64_t cache_misses = 0;
  std::uint64_t refused = 0; ///< errc::overloaded.
  std::uint64_t failed = 0;  ///< errc::store_unreadable.
};

/// What a durable store has written to its journal since the start. Zeros for a store without a
/// disk.
struct write_counters {
  std::uint64_t groups = 0;      ///< Of changes that became durable together.
  std::uint64_t group_bytes = 0; ///< Of these groups.
  std::uint64_t file_bytes = 0;  ///< Written to the journal's files: headers and zeros included.
  std::uint64_t syncs = 0;
};

/// How healthy and how busy the store is; for /readyz, for refusing early, and for people.
struct store_status {
  bool writable = true;
  std::string problem;             ///< Why not, in words, with what to do.
  std::size_t backlog_changes = 0; ///< Submitted and not yet durable.
  std::size_t backlog_bytes = 0;   ///< What they hold, with what is made of them on the way.
  std::size_t live_tasks = 0;
  std::size_t live_objectives = 0;
  /// What may come once and was forgotten before its time was over, to make room (once_max, or
  /// memory_account::remembered_requests); since the start.
  std::uint64_t forgotten_early = 0;
  read_counters reads;
  write_counters writes;
};

class store {
public:
  virtual ~store() = default;

  // -- writing ------------------------------------------------------------------------------------

  /// Makes `change` durable, then visible, then calls `then`. The memory store does all of this
  /// before it returns. Changes submitted by one thread or actor for one stream are
  /// committed in the order of submission. If the disk is full or broken the change is kept and
  /// tried again; it is never dropped and never reported as done. `follow` (for a change that
  /// creates a task or an objective): watches what is created from its first event on. A change
  /// about a task that has ended, or about something that was never created, changes nothing and no
  /// watcher sees it; `then` is called nevertheless. So a late result never overwrites an ended
  /// task. A change with conditions is refused if one of them came before: that is decided in the
  /// order of the changes, and told once what came before is durable.
  virtual void commit(change change, committed_fn then = nullptr, watcher_ptr follow = nullptr) = 0;

  /// What came with the kind, owner and key of `wanted` and is durable, with its answer. Null: it
  /// may come. `now`: whose time is over then may come again.
  virtual void read_once(const once& wanted, timestamp now, read_done<once_ptr> done) const = 0;

  // -- reading committed records ------------------------------------------------------------------
  // Each calls `done` exactly once (read_done). Errors of all: store_unreadable (the disk failed;
  // try again), overloaded (too many reads wait; the message names the limit), not_here (another
  // process owns it; none returns it yet). `client`: when reads wait for the disk, clients take
  // turns, and the reads of one client are done one after the other. Empty: the program itself.

  /// A plan's task that has not begun is shown as SUBMITTED. Errors: task_not_found.
  virtual void read_task(const task_id& id, read_done<task_ptr> done,
                         const std::string& client = {}) const = 0;
  /// Errors: objective_not_found.
  virtual void read_objective(const objective_id& id, read_done<objective_ptr> done,
                              const std::string& client = {}) const = 0;
  /// The objective with the plan. Errors: plan_not_found.
  virtual void read_objective(const plan_id& id, read_done<objective_ptr> done,
                              const std::string& client = {}) const = 0;
  /// The owner and the place of the id. Reads no large record, except the objective when given a
  /// plan id. Errors: task_not_found, objective_not_found, plan_not_found.
  virtual void read_placement(const task_id& id, read_done<placement> done,
                              const std::string& client = {}) const = 0;
  virtual void read_placement(const objective_id& id, read_done<placement> done,
                              const std::string& client = {}) const = 0;
  virtual void read_placement(const plan_id& id, read_done<placement> done,
                              const std::string& client = {}) const = 0;
  /// Objects of the caller: tasks that have begun, and in the context of an objective also those
  /// that have not, as read_task shows them. A task has the members that `view` shows; others may
  /// be missing. A page ends with the row that passes page_bytes_max. errc::invalid_params for a
  /// page token that this store did not make.
  virtual void list(const list_tasks& query, read_done<task_page> done,
                    const std::string& client = {}) const = 0;
  virtual void list(const list_objectives& query, read_done<objective_page> done,
                    const std::string& client = {}) const = 0;
  /// The tasks of the caller that ask. Memory has them all. A page ends with the row that passes
  /// page_bytes_max. errc::invalid_params as above.
  virtual void list(const list_inputs& query, read_done<input_page> done,
                    const std::string& client = {}) const = 0;
  /// The task as of now, and every later change of it to `who`: no change between the two is lost
  /// or doubled. If the task has not ended, `who` watches it before `done` is called. A null `who`
  /// watches nothing. Errors: task_not_found.
  virtual void snapshot_task(const task_id& id, watcher_ptr who, read_done<task_snapshot> done,
                             const std::string& client = {}) = 0;
  /// The same for an objective with all its tasks. Errors: objective_not_found.
  virtual void snapshot_objective(const objective_id& id, watcher_ptr who,
                                  read_done<objective_snapshot> done,
                                  const std::string& client = {}) = 0;
  /// Changes that a watcher of the task would have seen, from the history. A store without a
  /// history has the latest changes of streams with a watcher that reads the past
  /// (watcher::reads_past). A reader that stopped at sequence K resumes without a gap and without
  /// doubles as follows: watch first (snapshot at N), read (K, N] from here, then show the changes
  /// that the watcher has queued. Errors: task_not_found; store_failed for a history that is
  /// damaged.
  virtual void read_changes(const task_id& id, const history_range& range,
                            read_done<history_page> done, const std::string& client = {}) const = 0;
  /// The same for an objective with all its tasks. Errors: objective_not_found, store_failed.
  virtual void read_changes(const objective_id& id, const history_range& range,
                            read_done<history_page> done, const std::string& client = {}) const = 0;
  /// Whether it has a history: every record and change can be read later, also of what has ended.
  [[nodiscard]] virtual bool has_history() const noexcept = 0;

  // -- ids that clients choose --------------------------------------------------------------------

  /// Claims the ids for the caller, which then creates objects with them: all or none. No other
  /// caller gets one of them before `release_ids`: a caller who asks meanwhile is answered later.
  /// Errors: duplicate_id (names one that a task, plan or objective has, or that stands twice in
  /// `ids`), store_unreadable, overloaded.
  virtual void claim_ids(std::vector<std::string> ids, read_done<void> done,
                         const std::string& client = {}) = 0;
  /// Releases claimed ids: their objects are committed, or were not made.
  virtual void release_ids(const std::vector<std::string>& ids) = 0;

  // -- watching -----------------------------------------------------------------------------------

  /// No call to `who` begins after this returned.
  virtual void unwatch(const std::string& task_or_objective, const watcher_ptr& who) = 0;
  /// Every later change of all tasks and objectives: each stream in its order; there is no order
  /// between streams.
  virtual void watch_all(const watcher_ptr& who) = 0;
  /// No call to `who` begins after this returned.
  virtual void unwatch_all(const watcher_ptr& who) = 0;

  // -- push configurations ------------------------------------------------------------------------

  /// As long-lived as the store.
  [[nodiscard]] virtual push_configs& pushes() = 0;

  // -- life ---------------------------------------------------------------------------------------

  /// What was live when the last process ended. Call once, before the first commit.
  [[nodiscard]] virtual result<recovered> recover() = 0;
  /// Drops objectives that have been settled since before `settled_before` from memory, with all
  /// their tasks; they are read from disk from then on. An objective that is watched, or not yet
  /// written, stays until a later call. If the process holds more than the share of settled
  /// objectives, they are dropped at any age (memory_account::ended_objectives). A store without a
  /// disk keeps them up to its bounds, at any age (memory_bounds).
  virtual void evict(timestamp settled_before) = 0;
  /// Forgets what may come again at `now`, so many at a time (once_expired_at_once_max). Call it
  /// now and then.
  virtual void forget_expired(timestamp now) = 0;
  [[nodiscard]] virtual store_status status() const = 0;
  /// Waits until everything submitted is durable.
  virtual void flush() = 0;
  /// For an object that ends before the store: waits until every continuation so far has run. If
  /// the disk cannot be written, the waiting continuations are dropped and do not run; their
  /// changes are kept and tried again.
  virtual void drain() = 0;
};

enum class durability : std::uint8_t {
  sync, ///< Acknowledged after fsync: survives power loss.
  async ///< Acknowledged after write: survives kill -9, not power loss.
};

/// How much a store without a disk keeps of ended tasks and objectives; the oldest are dropped
/// first. Live ones do not count.
struct memory_bounds {
  std::size_t tasks = ended_tasks_max; ///< Ended tasks; and tasks of settled objectives.
  std::size_t bytes = ended_bytes_max; ///< Of ended tasks, about; and of settled objectives.
  /// Settled ones. When one is dropped, its tasks are dropped too. A watched one is not dropped.
  std::size_t objectives = settled_objectives_max;
  /// What the process may hold in memory: ended tasks and settled objectives are also dropped when
  /// it runs short (memory_account::ended_tasks, ended_objectives). Null: no limit.
  memory_budget_ptr memory{};
};

/// Nothing outlives the process.
[[nodiscard]] std::unique_ptr<store> make_memory_store(const memory_bounds& bounds = {});

struct rocksdb_options {
  std::string directory; ///< Made if missing.
  troupe::durability durability = durability::sync;
  /// What the process may hold in memory. Null: no limit.
  memory_budget_ptr memory{};
};

/// A journal and RocksDB tables under `directory`. Errors: store_locked (another process has it
/// open), store_failed (cannot create, not writable, damaged; the message says which and what to
/// do).
[[nodiscard]] result<std::unique_ptr<store>> open_rocksdb_store(const rocksdb_options& options);

/// Whether `directory` already contains a store. Also true if this cannot be determined; then
/// open_rocksdb_store says why.
[[nodiscard]] bool holds_rocksdb_store(const std::string& directory);

} // namespace troupe
