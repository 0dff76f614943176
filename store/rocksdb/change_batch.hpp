// One batch on its way into the tables: works out what the changes of a group lead to (sequence
// numbers, records of tasks that end), turns them into rows, and publishes them once the group is
// durable. Used by the writer of the durable store, and by the start (catch_up.hpp), alone.
#pragma once

#include "store/ledger.hpp"
#include "store/rocksdb/rocksdb_archive.hpp"
#include <troupe/store/store.hpp>

#include <rocksdb/write_batch.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace troupe {

/// A change as handed in, and what the writer finds out about it.
struct submission {
  change submitted;
  committed_fn then;
  watcher_ptr follow;
  std::string row;              ///< record::write(what), made by the caller of `commit`.
  std::shared_ptr<task> ended;  ///< The task's last record, if `what` ends it.
  bool accepted = false;        ///< Not about something that has ended or never was.
  bool may_be_recalled = false; ///< `ended` is small enough to be kept in memory for a while.
  bool is_staged = false;       ///< False: it waits for its objective to be read.
  bool is_orphan = false;       ///< Its objective was looked for on the disk, and there is none.
};

class change_batch {
public:
  change_batch(ledger& live, rocksdb_archive& archive) : live_(live), archive_(archive) {}

  /// Adds the rows of `changes`, in order. They stay where they are until `publish`; those of an
  /// objective that has left memory, or of one that earlier changes wait for (`awaited`), are moved
  /// to `apart`: it is to be read first.
  void stage(std::vector<submission>& changes, const std::unordered_set<std::string>& awaited,
             std::vector<submission>& apart);
  /// Adds the rows that seal `objective` unless something of this batch concerns it, or it is not
  /// to be sealed (any more).
  void stage_seal(const objective_id& objective);
  /// Adds the rows that concern the batch as a whole. Call last.
  void finish();

  [[nodiscard]] rocksdb::WriteBatch& rows() noexcept { return rows_; }
  [[nodiscard]] bool empty() const noexcept { return rows_.Count() == 0; }

  /// The group is durable: makes the changes visible. Objectives that may be sealed now are added
  /// to `settled`.
  void publish(std::vector<submission>& changes, std::vector<objective_id>& settled);
  /// Ready for more changes after those that were published, in the same batch.
  void go_on();
  /// Ready for the next batch.
  void clear();

private:
  struct staged_objective {
    std::uint64_t sequence = 0;
    std::uint32_t plans = 0;
    bool pinned = false;
  };
  struct staged_task {
    std::shared_ptr<const task> base; ///< Before `pending`.
    std::vector<const change*> pending;
    std::uint64_t sequence = 0; ///< Of a lone task.
    bool lone = false;
    bool is_new = false; ///< Has no live row yet.
    bool ended = false;
  };
  struct seal {
    objective_id id;
    std::uint64_t sequence = 0;
  };

  void stage_one(submission& each);
  void stage_objective_facts(submission& each);
  void stage_task_facts(submission& each);
  [[nodiscard]] bool is_new(const objective_id& id) const;
  /// The objective as this batch leaves it so far; null if it is not in memory. The first time it
  /// is pinned and marked live.
  staged_objective* objective(const std::string& id);
  void put_journal_row(submission& each, rows::stream_kind kind, std::uint64_t sequence);
  void put_places(const objective_id& owner, std::uint32_t plan_index, const plan_spec& plan);
  void put_ended_rows(submission& each);

  ledger& live_;
  rocksdb_archive& archive_;
  rocksdb::WriteBatch rows_;
  std::unordered_map<std::string, staged_objective> objectives_;
  std::unordered_map<std::string, staged_task> tasks_;
  std::vector<seal> seals_;
  rows::counts counts_;
  bool counts_changed_ = false;
  bool is_absent_ = false; ///< The objective of the change that is being staged is not in memory.
  std::pair<const std::string, staged_objective>* last_objective_ =
      nullptr;        ///< Most changes concern the one before's.
  std::string key_;   ///< Scratch.
  std::string value_; ///< Scratch.
};

} // namespace troupe
