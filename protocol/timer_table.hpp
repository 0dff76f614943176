// What is due when. A plain value: it has no clock and no thread, and calls nothing by
// itself. Used for the deadlines of tasks (actors/deadline_desk.hpp) and for timers of event loops
// (client/timers.hpp).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace troupe {

/// At most one entry for each key, in the order of their times. `Key` is ordered and cheap to copy.
template<class Key, class Time>
class timer_table {
public:
  /// In place of what the key had.
  void put(const Key& key, Time due) {
    const auto [at, is_new] = times_.try_emplace(key, due);
    if (!is_new) {
      order_.erase({at->second, key});
      at->second = due;
    }
    order_.emplace(due, key);
  }

  /// False if the key had none.
  bool erase(const Key& key) {
    const auto at = times_.find(key);
    if (at == times_.end())
      return false;
    order_.erase({at->second, key});
    times_.erase(at);
    return true;
  }

  /// When the next one is due; nothing if there is none.
  [[nodiscard]] std::optional<Time> next_due() const {
    if (order_.empty())
      return std::nullopt;
    return order_.begin()->first;
  }

  /// Takes the first entry that is due at `now`; nothing if there is none.
  [[nodiscard]] std::optional<Key> take_due(Time now) {
    if (order_.empty() || order_.begin()->first > now)
      return std::nullopt;
    auto key = order_.begin()->second;
    erase(key);
    return key;
  }

  [[nodiscard]] std::size_t size() const noexcept { return times_.size(); }

private:
  std::map<Key, Time> times_;
  std::set<std::pair<Time, Key>> order_;
};

} // namespace troupe
