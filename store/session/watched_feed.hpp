// The changes of a store without a journal, as groups for a follower: kept in memory until it has
// them, within a bound. Thread-safe.
#pragma once

#include "store/journal/group_feed.hpp"
#include <troupe/store/store.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

namespace troupe::sessions {

/// Bytes of changes that wait for the follower. The oldest are let go.
inline constexpr std::size_t watched_bytes_max = std::size_t{64} << 20;

class watched_feed final : public watcher, public journal::group_feed {
public:
  /// `id`: random.
  explicit watched_feed(std::uint64_t id, std::size_t bytes_max = watched_bytes_max)
      : id_(id), bytes_max_(bytes_max) {}

  void on_change(const change_ptr& change) override;

  void read_groups(const journal::journal_cursor& from, std::size_t bytes_max,
                   std::function<void(result<journal::group_page>)> done) override;
  void keep_groups(journal::position from) override;
  [[nodiscard]] reached groups_reached() const override;
  void on_groups(std::function<void()> call) override;

private:
  struct entry {
    change_ptr news;
    std::size_t bytes = 0;
  };

  void drop_front();

  const std::uint64_t id_;
  const std::size_t bytes_max_;
  mutable std::mutex guard_;
  std::deque<entry> waiting_;
  journal::position first_ = 1; ///< Of `waiting_`.
  std::size_t bytes_ = 0;       ///< The same.
  std::uint64_t all_bytes_ = 0;
  std::mutex calling_; ///< Held during a call of `call_`. Never with the other lock.
  std::function<void()> call_;
};

} // namespace troupe::sessions
