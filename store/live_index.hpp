// The live tasks or objectives of each owner by state, beside what lists are narrowed by: a list
// looks only at the rows that may be in it. A plain value; not thread-safe, each shard
// of the ledger has one.
#pragma once

#include "store/text_hash.hpp"
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/plan_state.hpp>
#include <troupe/protocol/task.hpp>
#include <troupe/protocol/task_state.hpp>
#include <troupe/protocol/time.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe {

/// What a list is narrowed by, of each kind of record.
template<class Record>
struct listing;

template<>
struct listing<task> {
  using state = task_state;
  static constexpr std::size_t states = task_state_count;
  static state state_of(const task& record) noexcept { return record.status.state; }
  static timestamp time_of(const task& record) noexcept { return record.status.at; }
  static std::string_view context_of(const task& record) noexcept { return record.context; }
};

template<>
struct listing<objective_view> {
  using state = objective_state;
  static constexpr std::size_t states = objective_state_count;
  static state state_of(const objective_view& record) noexcept { return record.state; }
  static timestamp time_of(const objective_view& record) noexcept { return record.updated; }
  /// Lists of objectives have no context.
  static std::string_view context_of(const objective_view&) noexcept { return {}; }
};

template<class Record>
class live_index {
  struct rows;
  using kind = listing<Record>;

public:
  /// `record` lives as long as its row, or is replaced by `update`.
  struct row {
    const Record* record = nullptr;
    timestamp at{};
    std::uint32_t context_hash = 0;
  };

  /// Where a record is. Only the functions here change it.
  struct place {
    rows* in = nullptr; ///< Null: nowhere.
    std::uint32_t index = 0;
  };

  [[nodiscard]] static std::uint32_t hash_of(std::string_view context) noexcept {
    return static_cast<std::uint32_t>(text_hash{}(context));
  }

  [[nodiscard]] place add(const Record& record) {
    auto& mine = owners_[record.owner];
    if (!mine)
      mine = std::make_unique<lists>();
    auto& list = mine->by_state[state_of(record)];
    list.of = mine.get();
    ++mine->size;
    list.all.push_back({&record, kind::time_of(record), hash_of(kind::context_of(record))});
    return {&list, static_cast<std::uint32_t>(list.all.size() - 1)};
  }

  /// Takes out the record at `where`, whose owner is `owner`. Calls `on_moved(record, place)` with
  /// the one that is in its place now, if there is one.
  template<class Moved>
  void remove(const place& where, const std::string& owner, Moved on_moved) {
    auto& list = where.in->all;
    if (where.index + 1 != list.size()) {
      list[where.index] = list.back();
      on_moved(*list[where.index].record, where);
    }
    list.pop_back();
    if (--where.in->of->size == 0)
      owners_.erase(owner);
  }

  /// The one at `where` has changed to `record`; its owner and context are the same. Moves others
  /// as `remove` does.
  template<class Moved>
  void update(place& where, const Record& record, Moved on_moved) {
    auto& to = where.in->of->by_state[state_of(record)];
    if (&to == where.in) {
      auto& mine = to.all[where.index];
      mine.record = &record;
      mine.at = kind::time_of(record);
      return;
    }
    remove(where, record.owner, std::move(on_moved));
    where = add(record);
  }

  /// Calls `visit(row)` with each record of `owner`, in any order; of one state if it says so.
  template<class Visit>
  void visit(const std::string& owner, std::optional<typename kind::state> state,
             Visit visit) const {
    const auto mine = owners_.find(owner);
    if (mine == owners_.end())
      return;
    for (std::size_t i = 0; i < kind::states; ++i)
      if (!state || static_cast<std::size_t>(*state) == i)
        for (const auto& each : mine->second->by_state[i].all)
          visit(each);
  }

private:
  struct lists;
  struct rows {
    std::vector<row> all;
    lists* of = nullptr;
  };
  struct lists {
    std::array<rows, kind::states> by_state;
    std::size_t size = 0;
  };

  [[nodiscard]] static std::size_t state_of(const Record& record) noexcept {
    return static_cast<std::size_t>(kind::state_of(record));
  }

  boost::unordered_flat_map<std::string, std::unique_ptr<lists>> owners_;
};

} // namespace troupe
