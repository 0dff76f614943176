// The committed view, in memory: live tasks and objectives, who watches them, and nothing that is
// not durable yet. Stores publish changes here once these are safe; all readers read here. Sharded
// by id, a lock for each shard, none that all requests share.
//
// Locks are taken in the order objective shard, task shard, archive; never two of one kind; that of
// those who watch everything is last. The index of open questions has a lock of its own, under
// which no other is taken.
#pragma once

#include "store/archive.hpp"
#include "store/input_index.hpp"
#include "store/live_index.hpp"
#include "store/text_hash.hpp"
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/memory_budget.hpp>
#include <troupe/store/limits.hpp>
#include <troupe/store/store.hpp>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe {

class ledger {
public:
  /// `ended` outlives the ledger. Settled objectives count in `memory` (ended_objectives).
  explicit ledger(archive& ended, memory_budget_ptr memory = std::make_shared<memory_budget>())
      : archive_(ended), memory_(std::move(memory)) {}

  // -- publishing ---------------------------------------------------------------------------------

  struct published {
    bool accepted = false; ///< False: about a task or objective that is not live; nothing changed,
                           ///< no watcher was told.
    bool may_settle = false; ///< The objective is settled and has no live task: it may be sealed.
  };

  /// Applies `change` and tells the watchers. Makes it the next one of its stream (follow_on).
  /// `ended`: the task's record after `change`, if the caller has computed it (then it is taken as
  /// it is). `follow` watches the task or objective that `change` creates.
  published publish(change&& change, std::shared_ptr<task> ended = nullptr,
                    const watcher_ptr& follow = nullptr);

  // -- reading (store.hpp) ------------------------------------------------------------------------

  // `ended`: where what is not live is looked up. Never called under a lock of the ledger.

  [[nodiscard]] task_ptr find_task(const task_id& id, const archive_reads& ended) const;
  [[nodiscard]] objective_ptr find_objective(const objective_id& id,
                                             const archive_reads& ended) const;
  [[nodiscard]] std::optional<objective_id> objective_of(const plan_id& id,
                                                         const archive_reads& ended) const;
  /// Whose it is and where it is; nothing if unknown. Reads no large record.
  [[nodiscard]] std::optional<placement> placement_of(const task_id& id,
                                                      const archive_reads& ended) const;
  [[nodiscard]] std::optional<placement> placement_of(const objective_id& id,
                                                      const archive_reads& ended) const;
  [[nodiscard]] bool knows_task(const task_id& id, const archive_reads& ended) const;
  [[nodiscard]] bool knows_objective(const objective_id& id, const archive_reads& ended) const;
  [[nodiscard]] result<task_page> list(const list_tasks& query, const archive_reads& ended) const;
  [[nodiscard]] result<objective_page> list(const list_objectives& query,
                                            const archive_reads& ended) const;
  [[nodiscard]] result<input_page> list(const list_inputs& query) const;
  [[nodiscard]] std::size_t live_tasks() const noexcept {
    return live_tasks_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t live_objectives() const noexcept {
    return live_objectives_.load(std::memory_order_relaxed);
  }
  /// Live tasks and objectives that lists have looked at so far.
  [[nodiscard]] std::uint64_t rows_looked_at() const noexcept {
    return rows_looked_at_.load(std::memory_order_relaxed);
  }

  // -- watching (store.hpp) -----------------------------------------------------------------------

  [[nodiscard]] task_snapshot snapshot_task(const task_id& id, const watcher_ptr& who,
                                            const archive_reads& ended);
  [[nodiscard]] objective_snapshot
  snapshot_objective(const objective_id& id, const watcher_ptr& who, const archive_reads& ended);
  void unwatch(const std::string& task_or_objective, const watcher_ptr& who);
  void watch_all(const watcher_ptr& who);
  void unwatch_all(const watcher_ptr& who);

  // -- for stores that write before they publish --------------------------------------------------

  struct task_base {
    std::shared_ptr<const task> record;
    std::uint64_t sequence = 0; ///< Of a lone task.
    timestamp at{};             ///< Of its last change.
  };
  /// The live task a change would be applied to.
  [[nodiscard]] std::optional<task_base> live_task(const task_id& id) const;

  /// Keeps an objective in memory until `unpin`. Breaks its seal; `sealed` is the view as it was
  /// sealed.
  struct pinned {
    std::uint64_t sequence = 0;
    timestamp at{}; ///< Of its last change.
    std::uint32_t plans = 0;
    objective_ptr sealed; ///< Null if it was not sealed.
  };
  [[nodiscard]] std::optional<pinned> pin(const objective_id& id);
  void unpin(const objective_id& id);

  /// What to write to seal an objective; nothing unless it is live, settled, not sealed, and has no
  /// live task.
  [[nodiscard]] std::optional<objective_state_of_record> sealable(const objective_id& id) const;
  /// The archive has it from now on (`list` leaves it to the archive); unless it was changed since.
  void mark_sealed(const objective_id& id, std::uint64_t sequence);
  /// Drops sealed objectives that have no watcher and that were last changed before
  /// `settled_before`.
  void evict(timestamp settled_before);

  // -- for a store that keeps only so much --------------------------------------------------------

  struct settled_objective {
    timestamp updated{};
    objective_id id;
    std::size_t tasks = 0;
    std::size_t bytes = 0; ///< bytes_of(objective_view), about.
  };
  /// The settled objectives that have no watcher.
  [[nodiscard]] std::vector<settled_objective> settled() const;
  /// Drops one of them for good, unless it was changed or is watched since.
  void forget(const settled_objective& which);

  // -- recovery -----------------------------------------------------------------------------------

  /// Puts back what was live.
  void restore(objective_state_of_record record, bool sealed);
  void restore(std::shared_ptr<task> value, bool lone, std::uint64_t sequence, timestamp at);
  /// Objectives that are not settled, and lone tasks that have not ended; by id.
  struct unfinished {
    std::vector<objective_ptr> objectives;
    std::vector<task_ptr> lone_tasks;
  };
  [[nodiscard]] unfinished list_unfinished() const;
  /// Loads an objective that was evicted from the archive, sealed as it is; false if there is none.
  bool load(const objective_id& id, const archive_reads& ended) const;

private:
  using watchers = std::vector<watcher_ptr>;

  template<class T>
  using text_map = boost::unordered_flat_map<std::string, T, text_hash, std::equal_to<>>;

  /// A task that has not ended. Kept in a set keyed by the record's id.
  struct live_entry {
    mutable std::shared_ptr<task> record;
    mutable std::unique_ptr<watchers> watched_by = nullptr; ///< Null: none.
    mutable std::uint64_t sequence = 0;                     ///< Of its last change, in its stream.
    mutable timestamp at = {};                              ///< The same.
    mutable live_index<task>::place listed = {};

    [[nodiscard]] bool is_watched() const noexcept { return watched_by && !watched_by->empty(); }
  };

  struct live_hash {
    using is_transparent = void;
    using is_avalanching = void;
    std::size_t operator()(const live_entry& entry) const noexcept {
      return text_hash{}(entry.record->id.str());
    }
    std::size_t operator()(std::string_view id) const noexcept { return text_hash{}(id); }
  };
  struct live_equal {
    using is_transparent = void;
    bool operator()(const live_entry& a, const live_entry& b) const noexcept {
      return a.record->id == b.record->id;
    }
    bool operator()(const live_entry& a, std::string_view b) const noexcept {
      return a.record->id.str() == b;
    }
    bool operator()(std::string_view a, const live_entry& b) const noexcept {
      return b.record->id.str() == a;
    }
  };

  using live_tasks_set = boost::unordered_flat_set<live_entry, live_hash, live_equal>;

  struct alignas(64) task_shard {
    mutable std::mutex guard;
    live_tasks_set live;
    live_index<task> lists;   ///< Of the live ones.
    text_map<watchers> early; ///< Watchers of plans' tasks that have not begun.
  };

  struct objective_entry {
    std::shared_ptr<objective_view> view;
    std::vector<withdrawal> withdrawn;
    watchers watched_by;
    std::uint64_t sequence = 0; ///< Of its last change.
    timestamp at{};             ///< The same.
    std::size_t live_tasks = 0;
    std::size_t pins = 0;
    bool sealed = false;
    bool in_memory = true; ///< False: read from the archive for one question.
    live_index<objective_view>::place listed = {}; ///< Nowhere while it is sealed.
    memory_charge held = {};                       ///< While it is settled.

    /// Settled, and not needed here.
    [[nodiscard]] bool is_idle() const noexcept {
      return pins == 0 && live_tasks == 0 && watched_by.empty() && is_settled(view->state);
    }
  };

  struct alignas(64) objective_shard {
    mutable std::mutex guard;
    text_map<objective_entry> live;
    live_index<objective_view> lists; ///< Of those that are not sealed.
    std::uint64_t evictions = 0; ///< What was read of the archive before the last one may be old.
  };

  /// What a publication or removal releases. It is destroyed after the locks are released, because
  /// its destructors are not ours.
  struct leftovers {
    std::vector<watchers> released;
    std::shared_ptr<const task> record;
  };

  [[nodiscard]] task_shard& task_shard_of(std::string_view id) const noexcept;
  [[nodiscard]] objective_shard& objective_shard_of(std::string_view id) const noexcept;

  published publish_objective(objective_shard& home, change&& change, const watcher_ptr& follow,
                              leftovers& gone);
  published publish_task(objective_entry* owner, change&& change, std::shared_ptr<task> ended,
                         const watcher_ptr& follow, leftovers& gone);
  /// Its open question has changed, or it is there again after a start.
  void note_question(const task& record);
  void tell_all(const change_ptr& change) const;
  void tell_withdrawn(const objective_view& view, const change_ptr& change, leftovers& gone);
  watchers begin_watching(task_shard& home, const task_id& id, const watcher_ptr& follow);
  /// False if it is there already.
  static std::pair<live_tasks_set::iterator, bool> add_live(task_shard& home, live_entry entry);
  /// Its record has changed.
  static void note_status(task_shard& home, const live_entry& entry);
  static void drop_live(task_shard& home, live_tasks_set::iterator which);
  /// The view of an objective has changed, or whether it is sealed.
  static void note_listed(objective_shard& home, objective_entry& entry);
  /// Counts what a settled objective holds. Its size is looked at when it settles, and if it
  /// `may_have_grown` since; one that goes on again is live work, and its actor counts it.
  void count_ended(objective_entry& entry, bool may_have_grown) const;
  void count_task(objective_entry* owner, int by) noexcept;
  void insert(objective_shard& home, objective_state_of_record record, bool sealed) const;

  task_snapshot look(const task_id& id, const watcher_ptr* who, const archive_reads& ended) const;
  task_snapshot look_live(const task_id& id, const watcher_ptr* who) const;
  /// What a look at a task's summary says beside what it finds.
  struct summary_look {
    bool again = false; ///< It began or ended meanwhile: look anew.
    /// It was withdrawn, unless it has a record: that is to be looked for after this.
    bool is_unrecorded = false;
  };
  /// A task that is not live as its objective knows it.
  task_snapshot look_in(const objective_entry& owner, const task_id& id, const task_place& place,
                        std::uint32_t generation, const watcher_ptr* who, summary_look& seen) const;
  listed<task_ptr> unrecorded_tasks(const task_filter& filter, const std::optional<position>& after,
                                    std::size_t count, const archive_reads& ended) const;
  /// Calls `attempt(place, base id, generation)` with each place that a generated id may name until
  /// one returns true.
  template<class Attempt>
  bool for_each_generated_place(const task_id& id, const archive_reads& ended,
                                Attempt attempt) const;
  /// The same with the places of ids that clients chose.
  template<class Attempt>
  bool for_each_chosen_place(const task_id& id, const archive_reads& ended, Attempt attempt) const;
  /// The same for a plan's id, of both kinds.
  template<class Attempt>
  bool for_each_place(const plan_id& id, const archive_reads& ended, Attempt attempt) const;
  /// Calls `ask(entry)` with the objective, in memory (under its lock) or read for the purpose;
  /// false if there is none.
  template<class Ask>
  bool with_objective(const objective_id& id, const archive_reads& ended, Ask ask) const;

  archive& archive_;
  const memory_budget_ptr memory_;
  mutable std::array<task_shard, ledger_shards> tasks_;
  mutable std::array<objective_shard, ledger_shards> objectives_;
  input_index inputs_;
  std::atomic<std::size_t> live_tasks_{0};
  mutable std::atomic<std::size_t> live_objectives_{0};
  mutable std::atomic<std::size_t> early_watchers_{0};
  mutable std::atomic<std::uint64_t> rows_looked_at_{0};

  mutable std::mutex all_guard_; ///< Taken last of all.
  watchers all_watched_by_;
  std::atomic<bool> is_all_watched_{false};
};

} // namespace troupe
