// The live tasks of each owner by state, beside what lists are narrowed by: a list looks at tasks
// that may stand in it, and at nobody else's. A plain value; not thread-safe, each shard of the
// ledger has one.
#pragma once

#include <troupe/protocol/task.hpp>
#include <troupe/protocol/task_state.hpp>
#include <troupe/protocol/time.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe {

class live_index {
  struct rows;

public:
  /// A task. `record` lives as long as its row, or is replaced by `update`.
  struct row {
    const task* record = nullptr;
    timestamp at{};
    std::uint32_t context_hash = 0;
  };

  /// Where a task stands. Changes only by what is called here.
  struct place {
    rows* in = nullptr; ///< Null: nowhere.
    std::uint32_t index = 0;
  };

  [[nodiscard]] static std::uint32_t hash_of(std::string_view context) noexcept {
    return static_cast<std::uint32_t>(std::hash<std::string_view>{}(context));
  }

  /// Adds a task that has not ended.
  [[nodiscard]] place add(const task& record) {
    auto& mine = owners_[record.owner];
    if (!mine)
      mine = std::make_unique<lists>();
    auto& list = mine->by_state[state_of(record)];
    list.of = mine.get();
    ++mine->size;
    list.tasks.push_back({&record, record.status.at, hash_of(record.context)});
    return {&list, static_cast<std::uint32_t>(list.tasks.size() - 1)};
  }

  /// Takes out the task at `where`, whose owner is `owner`. Calls `on_moved(record, place)` with
  /// the task that stands in its place now, if there is one.
  template<class Moved>
  void remove(const place& where, const std::string& owner, Moved on_moved) {
    auto& list = where.in->tasks;
    if (where.index + 1 != list.size()) {
      list[where.index] = list.back();
      on_moved(*list[where.index].record, where);
    }
    list.pop_back();
    if (--where.in->of->size == 0)
      owners_.erase(owner);
  }

  /// The task at `where` has changed to `record`; its owner and context are the same. Moves others
  /// as `remove` does.
  template<class Moved>
  void update(place& where, const task& record, Moved on_moved) {
    auto& to = where.in->of->by_state[state_of(record)];
    if (&to == where.in) {
      auto& mine = to.tasks[where.index];
      mine.record = &record;
      mine.at = record.status.at;
      return;
    }
    remove(where, record.owner, std::move(on_moved));
    where = add(record);
  }

  /// Calls `visit(row)` with each task of `owner`, in any order; of one state if it says so.
  template<class Visit>
  void visit(const std::string& owner, std::optional<task_state> state, Visit visit) const {
    const auto mine = owners_.find(owner);
    if (mine == owners_.end())
      return;
    for (std::size_t i = 0; i < task_state_count; ++i)
      if (!state || static_cast<std::size_t>(*state) == i)
        for (const auto& each : mine->second->by_state[i].tasks)
          visit(each);
  }

private:
  struct lists;
  struct rows {
    std::vector<row> tasks;
    lists* of = nullptr;
  };
  struct lists {
    std::array<rows, task_state_count> by_state;
    std::size_t size = 0;
  };

  [[nodiscard]] static std::size_t state_of(const task& record) noexcept {
    return static_cast<std::size_t>(record.status.state);
  }

  boost::unordered_flat_map<std::string, std::unique_ptr<lists>> owners_;
};

} // namespace troupe
