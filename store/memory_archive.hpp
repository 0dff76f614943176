// The archive of the memory store: the last finished tasks, and the ids that clients chose. Settled objectives stay in the ledger.
// Thread-safe; sharded by id.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "store/archive.hpp"

namespace troupe {

class memory_archive final : public archive {
public:
  /// At the limit the oldest go, give or take a hundredth: each shard keeps its share. Small limits (below 65,536) are exact.
  explicit memory_archive(std::size_t finished_tasks_max);
  /// In `shards` parts, a power of two.
  memory_archive(std::size_t finished_tasks_max, std::size_t shards);

  void keep(const task_ptr& ended) override;
  void learn(const objective_id& owner, std::uint32_t plan_index, const plan_spec& plan) override;
  [[nodiscard]] task_ptr find_task(const task_id& id) const override;
  [[nodiscard]] bool has_task(const task_id& id) const override;
  [[nodiscard]] std::optional<task_place> place_of(const task_id& id) const override;
  [[nodiscard]] std::optional<plan_place> place_of(const plan_id& id) const override;
  [[nodiscard]] std::optional<objective_state_of_record> find_objective(const objective_id& id) const override;
  [[nodiscard]] bool has_objective(const objective_id& id) const override;
  [[nodiscard]] listed<task_ptr> list_tasks(const task_filter& filter, const std::optional<position>& after,
                                            std::size_t count) const override;
  [[nodiscard]] listed<objective_ptr> list_objectives(const std::string& owner,
                                                      std::optional<objective_state> state,
                                                      const std::optional<position>& after,
                                                      std::size_t count) const override;

private:
  struct text_hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
    std::size_t operator()(const task_ptr& kept) const noexcept { return (*this)(kept->id.str()); }
  };
  struct same_id {
    using is_transparent = void;
    bool operator()(const task_ptr& a, const task_ptr& b) const noexcept { return a->id == b->id; }
    bool operator()(const task_ptr& a, std::string_view b) const noexcept { return a->id.str() == b; }
    bool operator()(std::string_view a, const task_ptr& b) const noexcept { return b->id.str() == a; }
  };

  /// What a list is narrowed by, beside the record: a scan of a million rows stays in order of memory.
  struct row {
    task_ptr record;
    timestamp at{};
    std::size_t context_hash = 0;
    task_state state = task_state::completed;
    bool is_owned = false; ///< Not the anonymous caller's.
  };

  struct alignas(64) shard {
    mutable std::mutex guard;
    boost::unordered_flat_set<task_ptr, text_hash, same_id> by_id;
    std::deque<row> by_age; ///< Oldest in front.
  };

  template<class Place>
  struct alignas(64) places {
    mutable std::mutex guard;
    boost::unordered_flat_map<std::string, Place, text_hash, std::equal_to<>> by_id;
  };

  [[nodiscard]] shard& shard_of(const task_id& id) const noexcept;

  std::size_t shard_count_;
  std::size_t rows_max_; ///< Of one shard.
  std::unique_ptr<shard[]> shards_;
  places<task_place> tasks_;
  places<plan_place> plans_;
};

} // namespace troupe
