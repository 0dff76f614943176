// The archive of the durable store: ended tasks, sealed objectives and the owners of chosen ids
// as rows, and what of them is in memory. The rows are written by the store's writer together with
// the events they follow from. Thread-safe.
#pragma once

#include "store/archive.hpp"
#include "store/archive_reader.hpp"
#include "store/memory/memory_archive.hpp"
#include "store/record_cache.hpp"
#include "store/rocksdb/rocksdb_rows.hpp"
#include "store/rocksdb/rocksdb_store.hpp"

#include <rocksdb/db.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

class rocksdb_archive final : public archive {
public:
  /// `db` outlives the archive. Records that it keeps or hands out count in `memory`.
  explicit rocksdb_archive(rocksdb::DB& db,
                           memory_budget_ptr memory = std::make_shared<memory_budget>(),
                           const record_cache_limits& limits = {});

  /// Reads the counts; call once the format has been checked.
  [[nodiscard]] result<void> open();

  /// How many rows each state has now, for the writer.
  [[nodiscard]] rows::counts counts() const noexcept;
  /// What a batch that has been written changed about objectives. Tasks are counted one by one as
  /// they end.
  void set_objective_counts(const rows::counts& counts) noexcept;
  /// A task that has just ended is read soon: by clients that waited for it, and by the tasks that
  /// depend on it.
  void remember(const task_ptr& ended) { recent_.keep(ended); }
  /// An objective's row has been replaced.
  void replaced(const objective_id& id) const { objectives_.erase(id.str()); }

  /// Large records that were read and have no row of their placement yet: rows for the next batch.
  /// They come of directories that an older program wrote.
  struct missing_row {
    std::string key;
    std::string value;
  };
  [[nodiscard]] std::vector<missing_row> take_missing_rows();

  /// Counts it; its row was written with the event.
  void keep(const task_ptr& ended) override;
  void learn(const objective_id&, std::uint32_t, const plan_spec&) override {}
  /// Its tasks are read from the disk from now on.
  void forget(const objective_view& gone) override { recent_.forget(gone); }

  /// What is kept in memory is given up, as far as the process holds more than its share.
  void shrink();

  /// Of records that were read and are still in use, without the caches.
  [[nodiscard]] std::size_t bytes_handed_out() const noexcept;
  /// Adds what the caches did and have.
  void count(read_counters& out) const noexcept;

private:
  friend class rocksdb_reads;

  void add_missing_row(missing_row added) const;

  rocksdb::DB& db_;
  memory_archive recent_;
  const std::shared_ptr<byte_gauge> decoded_;
  mutable record_cache<task> tasks_;
  mutable record_cache<objective_state_of_record> objectives_;
  mutable std::mutex missing_guard_;
  mutable std::vector<missing_row> missing_rows_; ///< At most missing_rows_max.
  mutable std::atomic<std::uint64_t> hits_{0};
  mutable std::atomic<std::uint64_t> misses_{0};
  std::array<std::atomic<std::uint64_t>, task_state_count> task_counts_{};
  std::array<std::atomic<std::uint64_t>, objective_state_count> objective_counts_{};
};

/// How far reads go.
enum class reach : std::uint8_t {
  memory, ///< Small rows that RocksDB has in memory, records that are decoded. For every thread.
  disk    ///< Everything. For the readers of the disk, and starting up.
};

/// One look at the archive. Not thread-safe.
class rocksdb_reads final : public archive_reads {
public:
  /// `of` outlives it.
  rocksdb_reads(const rocksdb_archive& of, reach how_far) : of_(of), reach_(how_far) {}

  /// False: something would have to be read from the disk to know. Always true if it may be.
  [[nodiscard]] bool is_complete() const noexcept { return is_complete_; }
  /// Of rows that were read.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  [[nodiscard]] task_ptr recall_task(const task_id& id) const override;
  [[nodiscard]] task_ptr find_task(const task_id& id) const override;
  [[nodiscard]] bool has_task(const task_id& id) const override;
  [[nodiscard]] std::optional<task_place> place_of(const task_id& id) const override;
  [[nodiscard]] std::optional<plan_place> place_of(const plan_id& id) const override;
  [[nodiscard]] std::optional<placement> placement_of(const task_id& id) const override;
  [[nodiscard]] std::optional<placement> placement_of(const objective_id& id) const override;
  [[nodiscard]] std::optional<objective_state_of_record>
  find_objective(const objective_id& id) const override;
  [[nodiscard]] bool has_objective(const objective_id& id) const override;
  [[nodiscard]] listed<task_ptr> list_tasks(const task_filter& filter,
                                            const std::optional<position>& after, std::size_t count,
                                            const task_view_options& view) const override;
  [[nodiscard]] result<listed<objective_ptr>> list_objectives(const objective_filter& filter,
                                                              objective_order order,
                                                              const std::optional<position>& after,
                                                              std::size_t count) const override;

private:
  /// Whether the answer must be left to one that reads the disk.
  [[nodiscard]] bool gives_up() const noexcept;
  [[nodiscard]] bool read_row(std::string_view key, rocksdb::PinnableSlice& row) const;
  [[nodiscard]] std::optional<placement> read_placement(std::string_view key) const;
  /// Has the placement of a large record written, unless it is.
  void keep_placement(std::string_view key, const placement& known, std::size_t row_bytes) const;
  [[nodiscard]] std::optional<task> read_task(const task_id& id, std::size_t& row_bytes) const;
  [[nodiscard]] listed<std::string> find_listed(const objective_filter& filter,
                                                const std::optional<position>& after,
                                                std::size_t count) const;
  [[nodiscard]] result<listed<std::string>> read_to_list(const objective_filter& filter,
                                                         objective_order order,
                                                         const std::optional<position>& after,
                                                         std::size_t count) const;
  [[nodiscard]] task_ptr read_listed(const task_id& id, const task_view_options& view) const;

  const rocksdb_archive& of_;
  const reach reach_;
  mutable bool is_complete_ = true;
  mutable std::size_t bytes_ = 0;
};

} // namespace troupe
