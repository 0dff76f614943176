// Groups on their way into the tables: works out what the changes of a group lead to (sequence
// numbers, records of tasks that end), turns them into rows, and publishes them once the group is
// durable. A group may be staged while the groups before it are not yet published. Used by the
// writer of the durable store, and by the start (catch_up.hpp), alone.
#pragma once

#include "store/group.hpp"
#include "store/ledger.hpp"
#include "store/once_table.hpp"
#include "store/push_table.hpp"
#include "store/rocksdb/derived_rows.hpp"
#include "store/rocksdb/rocksdb_archive.hpp"
#include <troupe/store/store.hpp>

#include <rocksdb/write_batch.h>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace troupe {

/// A change as handed in, and what the writer finds out about it.
struct submission {
  change submitted;
  committed_fn then;
  watcher_ptr follow;
  std::string row;              ///< record::write(submitted), made by the caller of `commit`.
  parts_id parts{};             ///< Of a long row: its end is in the journal already, in parts.
  std::size_t parts_bytes = 0;  ///< Of these, at the end of `row`.
  memory_charge held;           ///< Of all this (memory_account::backlog).
  std::shared_ptr<task> ended;  ///< The task's last record, if `submitted` ends it.
  bool accepted = false;        ///< Not about something that has ended or never was.
  bool may_be_recalled = false; ///< `ended` is small enough to be kept in memory for a while.
  bool is_staged = false;       ///< False: it waits for its objective to be read.
  bool is_orphan = false;       ///< Its objective was looked for on the disk, and there is none.
  bool holds = false;           ///< Its conditions are kept from now on.
  once_ptr conflict{};          ///< Came before, so nothing is changed.
};

/// A change without content: its continuation runs when all earlier changes are durable.
[[nodiscard]] bool is_empty(const change& change) noexcept;

/// What becomes durable together.
struct staged_group {
  struct seal {
    objective_id id;
    std::uint64_t sequence = 0;
  };

  std::uint64_t number = 0; ///< Given by `staging`; groups are numbered in their order.
  std::vector<submission> changes;
  std::vector<push_write> pushes;
  std::vector<seal> seals;
  rocksdb::WriteBatch rows;
  rows::counts added;     ///< To the counts of the tables; wraps around where it subtracts.
  bool is_closed = false; ///< All its rows are there.
};

class staging {
public:
  staging(ledger& live, rocksdb_archive& archive, once_table& once)
      : live_(live), archive_(archive), once_(once) {}

  /// Adds the rows of the group's changes, in order. They stay in the group until `publish`; those
  /// of an objective that has left memory, or of one that earlier changes wait for (`awaited`), are
  /// moved to `apart`: it is to be read first.
  void stage(staged_group& group, const std::unordered_set<std::string>& awaited,
             std::vector<submission>& apart);
  /// Adds the rows that seal these objectives, rows that the archive misses, and the counts. An
  /// objective with a staged change, or that went on, is not sealed. The group is the first that is
  /// not published; nothing is staged between this call and its publication.
  void close(staged_group& group, const std::vector<objective_id>& seals);
  /// The group is durable: makes its changes visible. Objectives that may be sealed now are added
  /// to `settled`. Groups are published in the order in which they were staged.
  void publish(staged_group& group, std::vector<objective_id>& settled);

private:
  /// What is staged and not published changes these; `last` is the last group that does.
  struct staged_objective {
    std::uint64_t last = 0;
    std::uint64_t sequence = 0;
    timestamp at{}; ///< Of its last change.
    std::uint32_t plans = 0;
    bool pinned = false;
  };
  struct staged_task {
    struct pending_change {
      std::uint64_t group = 0;
      const change* submitted = nullptr;
    };
    std::uint64_t last = 0;
    std::vector<pending_change> pending; ///< In order; the first may create it.
    std::uint64_t sequence = 0;          ///< Of a lone task.
    timestamp at{};                      ///< The same.
    bool lone = false;
    bool is_listed = false; ///< It has a live row, also if that is staged only.
    bool ended = false;
  };

  void stage_one(submission& each);
  void stage_facts(submission& each);
  void put_conditions(submission& each);
  void delete_forgotten();
  void stage_objective_facts(submission& each);
  void stage_task_facts(submission& each);
  [[nodiscard]] bool is_new(const objective_id& id) const;
  /// The objective as the staged groups leave it so far; null if it is not in memory. The first
  /// time it is pinned and marked live.
  staged_objective* objective(const std::string& id);
  [[nodiscard]] std::shared_ptr<task> end_of(const staged_task& entry,
                                             std::shared_ptr<const task> base) const;
  /// Makes it the change after the one with this sequence and time, which become its own.
  void put_journal_row(submission& each, rows::stream_kind kind, std::uint64_t& sequence,
                       timestamp& at);
  void put_places(const objective_id& owner, std::uint32_t plan_index, const plan_spec& plan);
  void put_ended_rows(submission& each);
  void put_live_rows();
  void put_seal(const objective_id& objective);
  /// Puts rows into the group that is being staged.
  [[nodiscard]] rows::put_fn into_rows();
  /// Forgets what no group after `published` concerns.
  [[nodiscard]] std::vector<objective_id> forget(const staged_group& published);

  ledger& live_;
  rocksdb_archive& archive_;
  once_table& once_;
  staged_group* group_ = nullptr; ///< That is being staged.
  std::uint64_t last_number_ = 0;
  std::unordered_map<std::string, staged_objective> objectives_;
  std::unordered_map<std::string, staged_task> tasks_;
  std::vector<std::pair<const std::string, staged_task>*> new_lone_tasks_; ///< In this group.
  bool is_absent_ = false; ///< The objective of the change that is being staged is not in memory.
  std::pair<const std::string, staged_objective>* last_objective_ =
      nullptr; ///< Most changes concern the one before's.
  rows::derived_rows derived_;
  std::string key_;   ///< Scratch.
  std::string value_; ///< Scratch.
};

} // namespace troupe
