// The groups of a store in the order in which they became durable, for another thread that makes
// something of them (session files). It is behind the store, and never ahead of what was published.
#pragma once

#include "store/journal/journal.hpp"
#include <troupe/protocol/errc.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace troupe::journal {

/// Thread-safe.
class group_feed {
public:
  group_feed() = default;
  group_feed(const group_feed&) = delete;
  group_feed& operator=(const group_feed&) = delete;
  virtual ~group_feed() = default;

  /// Groups from the cursor on, about `bytes_max` bytes of them, one at least; none if there is
  /// none yet. `done` is called once, on any thread, perhaps before this returns, and does not
  /// block. Errors: store_unreadable, invalid_params (they were let go).
  virtual void read_groups(const journal_cursor& from, std::size_t bytes_max,
                           std::function<void(result<group_page>)> done) = 0;
  /// Groups from this position on will be read; those before are not needed any more.
  virtual void keep_groups(position from) = 0;

  struct reached {
    std::uint64_t journal_id = 0;
    position first = 1;      ///< That is still there.
    position at = 0;         ///< The last one that was published.
    position found = 0;      ///< The last one of earlier processes: what they began, they left.
    std::uint64_t bytes = 0; ///< Of all groups published since the start of the process.
  };
  [[nodiscard]] virtual reached groups_reached() const = 0;
  /// Called after groups were published, on any thread; does not block. Null: nobody. No call
  /// begins after this returned.
  virtual void on_groups(std::function<void()> call) = 0;
};

} // namespace troupe::journal
