// What is due when. A plain value: it has no clock and no thread, and calls nothing by
// itself. Used for the deadlines of tasks (actors/gateway/deadline_desk.hpp) and for timers of
// event loops (client/timers.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace troupe {

/// At most one entry for each key, in the order of their times; those of one time in the order in
/// which they were put. `Key` is ordered and cheap to copy.
template<class Key, class Time>
class timer_table {
public:
  /// In place of what the key had.
  void put(const Key& key, Time due) {
    erase(key);
    const place where{due, count_++};
    times_.emplace(key, where);
    order_.emplace(where, key);
  }

  /// False if the key had none.
  bool erase(const Key& key) {
    const auto at = times_.find(key);
    if (at == times_.end())
      return false;
    order_.erase(at->second);
    times_.erase(at);
    return true;
  }

  /// When the next one is due; nothing if there is none.
  [[nodiscard]] std::optional<Time> next_due() const {
    if (order_.empty())
      return std::nullopt;
    return order_.begin()->first.first;
  }

  /// Takes the first entry that is due at `now`; nothing if there is none.
  [[nodiscard]] std::optional<Key> take_due(Time now) {
    if (order_.empty() || order_.begin()->first.first > now)
      return std::nullopt;
    auto key = order_.begin()->second;
    erase(key);
    return key;
  }

  [[nodiscard]] std::size_t size() const noexcept { return times_.size(); }

private:
  /// Not ordered by the key: it may be an address, which decides nothing.
  using place = std::pair<Time, std::uint64_t>;

  std::map<Key, place> times_;
  std::map<place, Key> order_;
  std::uint64_t count_ = 0; ///< Of entries that were ever put.
};

} // namespace troupe
