// The archive of the durable store: finished tasks, sealed objectives and the owners of chosen ids as rows. Reads only; the rows
// are written by the store's writer together with the events they follow from. Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>

#include <rocksdb/db.h>

#include "store/archive.hpp"
#include "store/memory_archive.hpp"
#include "store/rocksdb_rows.hpp"

namespace troupe {

class rocksdb_archive final : public archive {
public:
  /// `db` outlives the archive.
  explicit rocksdb_archive(rocksdb::DB& db);

  /// Reads the counts; call once the format has been checked.
  [[nodiscard]] result<void> open();

  /// How many rows each state has now, for the writer.
  [[nodiscard]] rows::counts counts() const noexcept;
  /// What a batch that has been written changed about objectives. Tasks are counted one by one as they end.
  void set_objective_counts(const rows::counts& what) noexcept;
  /// A task that has just ended is asked for soon: by whoever waited for it, and by the tasks that depend on it.
  void remember(const task_ptr& ended) { recent_.keep(ended); }

  /// Counts it; its row was written with the event.
  void keep(const task_ptr& ended) override;
  void learn(const objective_id&, std::uint32_t, const plan_spec&) override {}
  void forget(const objective_view&) override {} // It keeps everything.
  [[nodiscard]] task_ptr find_task(const task_id& id) const override;
  [[nodiscard]] bool has_task(const task_id& id) const override;
  [[nodiscard]] std::optional<task_place> place_of(const task_id& id) const override;
  [[nodiscard]] std::optional<plan_place> place_of(const plan_id& id) const override;
  [[nodiscard]] std::optional<objective_state_of_record> find_objective(const objective_id& id) const override;
  [[nodiscard]] bool has_objective(const objective_id& id) const override;
  [[nodiscard]] listed<task_ptr> list_tasks(const task_filter& filter, const std::optional<position>& after, std::size_t count,
                                            const task_view_options& view) const override;
  [[nodiscard]] listed<objective_ptr> list_objectives(const std::string& owner,
                                                      std::optional<objective_state> state,
                                                      const std::optional<position>& after,
                                                      std::size_t count) const override;

private:
  [[nodiscard]] std::shared_ptr<task> read_task(const task_id& id) const;
  [[nodiscard]] task_ptr read_listed(const task_id& id, const task_view_options& view) const;

  rocksdb::DB& db_;
  memory_archive recent_;
  std::array<std::atomic<std::uint64_t>, task_state_count> task_counts_{};
  std::array<std::atomic<std::uint64_t>, objective_state_count> objective_counts_{};
};

} // namespace troupe
