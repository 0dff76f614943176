// Takes groups of changes into the journal, then into the tables, then to the readers. The next
// groups are staged while one is on its way to the disk. While the disk refuses, groups stay as
// they are, in their order, and are tried again.
//
// Owns the journal from the end of the start on. One thread at a time calls it.
#pragma once

#include "store/journal/file_disk.hpp"
#include "store/rocksdb/catch_up.hpp"
#include "store/rocksdb/change_queue.hpp"
#include "store/rocksdb/rocksdb_open.hpp"
#include "store/rocksdb/staging.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace troupe {

class group_writer {
public:
  struct options {
    std::string directory; ///< For messages.
    std::chrono::milliseconds retry_interval = disk_retry_interval;
    std::size_t journal_behind_bytes = 0;
    std::size_t journal_forget_bytes = 0;
    bool flushes_at_end = true;
    const time_source* time = nullptr; ///< Outlives the writer.
    memory_budget_ptr memory{};        ///< Where groups in flight are counted (backlog).
  };

  /// The parts outlive the writer.
  group_writer(opened_files& files, const table_parts& tables, options how);

  /// Once, when the tables are where the journal is: what earlier processes left is bounded.
  /// `found`: the long changes of groups that the tables may not have on the disk yet.
  void begin_at_start(std::vector<long_change_place> found);
  /// The journal's disk has a thread from now on, which calls `ready` when `advance` should be
  /// called.
  void start(std::function<void()> ready);

  /// Whether another group may be begun. False while the disk refuses, and after a group with push
  /// configurations: only one such group may be staged at a time.
  [[nodiscard]] bool can_begin() const;
  /// The number of groups that were begun and not yet published.
  [[nodiscard]] std::size_t in_flight() const noexcept { return groups_.size(); }
  /// Stages a group and appends it to the journal. The parameters are `staging::stage`'s.
  void begin(next_group&& next, std::vector<push_write>&& pushes,
             const std::unordered_set<std::string>& awaited, std::vector<submission>& apart);

  enum class progress : std::uint8_t {
    waits,   ///< For the disk; or nothing is in flight.
    refused, ///< By the disk, or it is too early to try again; see `refused`.
    written, ///< The first group is durable, and in the tables: call `publish`.
  };
  /// Does what can be done now. `seals`: called for the objectives that the rows of the next group
  /// may seal. `is_alone`: there is no other work, so this call may wait for the disk.
  /// `is_stopping`: a disk that refuses is tried again without a pause.
  [[nodiscard]] progress advance(const std::function<std::vector<objective_id>()>& seals,
                                 bool is_alone, bool is_stopping);

  struct refusal {
    std::string problem;               ///< With what to do.
    std::chrono::milliseconds pause{}; ///< Before the next attempt.
  };
  /// Why the disk refuses. At rest it may be that groups which were acknowledged cannot be synced.
  [[nodiscard]] std::optional<refusal> refused() const;

  struct ended_group {
    staged_group group;
    std::vector<objective_id> settled; ///< They may be sealed.
  };
  /// Makes the first group visible and removes it; it is `written`.
  [[nodiscard]] ended_group publish();

  /// When `advance` has something to do although nothing happens.
  [[nodiscard]] std::optional<time_source::steady_point> wakes_at() const {
    return journal_.wakes_at();
  }
  /// Groups that were published, and what the journal has written.
  [[nodiscard]] write_counters counters() const;

  // For who follows the journal (group_feed):
  void read(const journal::journal_cursor& from, std::size_t bytes_max,
            std::function<void(result<journal::group_page>)> done) {
    journal_.read(from, bytes_max, std::move(done));
  }
  void keep_groups(journal::position from) { kept_ = journal_.pin(from); }
  /// The last group that was published.
  [[nodiscard]] journal::position published_at() const noexcept { return tables_at_; }
  [[nodiscard]] journal::position first_kept() const { return journal_.first(); }

  /// Takes the continuations of the groups in flight. Any thread may call this between an `advance`
  /// that was refused and the next `begin` or `publish`.
  void take_continuations(std::vector<committed_fn>& into);

  /// Flushes the tables, forgets the groups that the next start need not read again, and closes the
  /// journal. Tables that are behind are left alone, and so is a disk that refuses: the journal has
  /// everything.
  void close();
  /// The same for a start that failed: the tables stay as they are.
  void close_journal();

private:
  void finish_journal_work();
  struct flight : staged_group {
    bool is_durable = false;
    journal::position at = 0; ///< 0: it has nothing for the journal.
    std::size_t bytes = 0;    ///< In the journal.
    memory_charge held;       ///< Of its rows and its bytes in the journal.
  };

  /// Of rows that are longer than a group.
  void add_parts(std::string& bytes, const std::vector<row_part>& parts);
  void add_change(std::string& bytes, const submission& each);
  void end_parts(std::string& bytes, const submission& each);
  /// `bytes`: the group as far as it has been made.
  void append(flight& group, std::string bytes);
  /// Lets the journal forget what the next start need not read.
  void forget_groups();
  void turn_journal(bool is_alone);
  /// False if the tables refuse the rows. The group is safe in the journal.
  bool write_tables(flight& group, bool is_stopping);
  /// Lets the journal forget groups whose rows are flushed. If too many rows are not flushed, it
  /// starts a flush and returns at once. While an earlier flush still runs, the status is
  /// Incomplete, or the reason why a write of a table waits.
  [[nodiscard]] rocksdb::Status bound_journal();
  /// A flush was started, and its rows are not flushed yet.
  [[nodiscard]] bool is_behind();
  void resume_tables();
  [[nodiscard]] bool is_resuming() const;

  const options options_;
  opened_files& files_;
  rocksdb::DB& db_;
  journal::journal& journal_;
  journal::file_disk* threaded_disk_ = nullptr; ///< Once it was started.
  bool is_started_ = false;
  std::shared_ptr<const journal::position> kept_; ///< Null: nobody follows the journal.
  push_table& pushes_;
  staging staging_;
  std::deque<flight> groups_;
  std::size_t bytes_in_flight_ = 0; ///< Of their groups in the journal.
  rocksdb::WriteBatch spare_rows_;  ///< Empty; its memory serves a later group.
  bool is_refused_ = false;         ///< By the journal's disk or by the tables.
  std::optional<refusal> tables_refused_;
  time_source::steady_point tables_retry_at_{};
  time_source::steady_point resume_at_{};       ///< Not before.
  std::future<void> resuming_;                  ///< `DB::Resume`, if it was ever called.
  std::vector<long_change_place> long_changes_; ///< Whose parts the next start may need.
  /// Of groups since the last flush was started, and of their rows.
  std::size_t behind_bytes_ = 0;
  std::size_t behind_row_bytes_ = 0;
  journal::position tables_at_ = 0;    ///< The last group whose rows were written.
  journal::position flushed_at_ = 0;   ///< The same when the last flush was started.
  std::size_t unforgotten_bytes_ = 0;  ///< Of groups since the journal last forgot some.
  std::uint64_t published_groups_ = 0; ///< Those with something in the journal.
  std::uint64_t published_bytes_ = 0;  ///< Of these, in the journal.
};

} // namespace troupe
