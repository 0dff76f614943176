// The long snapshots that streams are showing: the streams that show the same one share it, so it
// counts once in what waits for the readers of streams. Thread-safe.
#pragma once

#include "net/stream_budget.hpp"
#include <troupe/protocol/task.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace troupe::net {

class shown_snapshots {
public:
  /// A record that is counted. Its last holder gives the bytes back.
  struct counted_record {
    task_ptr record;
    stream_budget::share bytes;
  };
  using hold = std::shared_ptr<const counted_record>;

  /// `in` outlives the object.
  explicit shown_snapshots(stream_budget& in) : in_(in) {}

  /// Counts `record`, of about `bytes`, unless it is counted already. Null if there is no room.
  [[nodiscard]] hold take(const task_ptr& record, std::size_t bytes);

private:
  stream_budget& in_;
  std::mutex guard_;
  std::unordered_map<const task*, std::weak_ptr<const counted_record>> shown_;
  std::size_t looked_after_ = 0; ///< Entries that were left when the map was last looked through.
};

} // namespace troupe::net
