// The archive of the memory store: the last ended tasks, and the ids that clients chose. Settled
// objectives stay in the ledger. The durable store keeps what has ended lately in one. Thread-safe;
// sharded by id.
#pragma once

#include "store/archive.hpp"
#include "store/memory/ended_rows.hpp"
#include "store/text_hash.hpp"
#include <troupe/protocol/memory_budget.hpp>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

class memory_archive final : public archive, public archive_reads {
public:
  /// At a limit the oldest go, give or take a hundredth: each shard keeps its share. Small limits
  /// (below 65,536 tasks) are exact. The last one of a shard stays however many bytes it has.
  /// What it keeps counts in `memory` (ended_tasks). If the process holds more than that share, the
  /// oldest go, too.
  memory_archive(std::size_t tasks_max, std::size_t bytes_max,
                 memory_budget_ptr memory = std::make_shared<memory_budget>());
  /// In `shards` parts, a power of two.
  memory_archive(std::size_t tasks_max, std::size_t bytes_max, std::size_t shards,
                 memory_budget_ptr memory = std::make_shared<memory_budget>());
  memory_archive(const memory_archive&) = delete;
  memory_archive& operator=(const memory_archive&) = delete;
  ~memory_archive() override;

  /// Drops the oldest until the process holds no more than the share of ended tasks.
  void shrink();

  void keep(const task_ptr& ended) override;
  void learn(const objective_id& owner, std::uint32_t plan_index, const plan_spec& plan) override;
  void forget(const objective_view& gone) override;
  [[nodiscard]] task_ptr recall_task(const task_id& id) const override { return find_task(id); }
  [[nodiscard]] task_ptr find_task(const task_id& id) const override;
  [[nodiscard]] bool has_task(const task_id& id) const override;
  [[nodiscard]] std::optional<task_place> place_of(const task_id& id) const override;
  [[nodiscard]] std::optional<plan_place> place_of(const plan_id& id) const override;
  /// Nothing: its records are in memory.
  [[nodiscard]] std::optional<placement> placement_of(const task_id&) const override { return {}; }
  [[nodiscard]] std::optional<placement> placement_of(const objective_id&) const override {
    return {};
  }
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
  /// Rows that lists have looked at so far.
  [[nodiscard]] std::uint64_t rows_looked_at() const noexcept {
    return rows_looked_at_.load(std::memory_order_relaxed);
  }

  /// That it has, with those whose record was forgotten.
  [[nodiscard]] std::size_t rows() const;

private:
  struct entry {
    task_ptr record;
    mutable std::uint64_t number = 0; ///< Of its row.
    std::size_t bytes = 0;
  };
  struct entry_hash : text_hash {
    using text_hash::operator();
    std::size_t operator()(const entry& kept) const noexcept {
      return (*this)(kept.record->id.str());
    }
  };
  struct same_id {
    using is_transparent = void;
    bool operator()(const entry& a, const entry& b) const noexcept {
      return a.record->id == b.record->id;
    }
    bool operator()(const entry& a, std::string_view b) const noexcept {
      return a.record->id.str() == b;
    }
    bool operator()(std::string_view a, const entry& b) const noexcept {
      return b.record->id.str() == a;
    }
  };

  struct alignas(64) shard {
    mutable std::mutex guard;
    boost::unordered_flat_set<entry, entry_hash, same_id> by_id;
    ended_rows rows;
    std::size_t bytes = 0; ///< Of all records.
  };

  template<class Place>
  struct alignas(64) places {
    mutable std::mutex guard;
    boost::unordered_flat_map<std::string, Place, text_hash, std::equal_to<>> by_id;
  };

  [[nodiscard]] shard& shard_of(const task_id& id) const noexcept;
  /// Drops the rows in front that are too many, or forgotten. What goes is destroyed by the caller,
  /// without the lock.
  void trim(shard& home, std::vector<task_ptr>& gone) const;
  void forget(const task_id& id);
  void count_gone(shard& home, std::size_t bytes) const noexcept;

  const memory_budget_ptr memory_;
  std::size_t shard_count_;
  std::size_t rows_max_;  ///< Of one shard.
  std::size_t bytes_max_; ///< Of one shard.
  std::unique_ptr<shard[]> shards_;
  mutable std::atomic<std::uint64_t> rows_looked_at_{0};
  places<task_place> tasks_;
  places<plan_place> plans_;
};

} // namespace troupe
