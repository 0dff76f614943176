// Where a feed gets what it tells: what stands now, every change from then on, and the past in
// pages. The store is one (store_source.hpp); another process may be another.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/principal.hpp>
#include <troupe/store/store.hpp>

#include <functional>
#include <memory>
#include <string>

namespace troupe {

/// Receives an outcome exactly once: before the call returns, or later on any thread. Must not
/// block, must not throw.
template<class T>
using feed_done = std::function<void(result<T>)>;

/// What a feed begins with.
struct feed_snapshot {
  task_ptr task;           ///< Of a task's feed.
  objective_ptr objective; ///< Of an objective's feed.
  /// Of the stream: everything up to here is in it. sequence_end: it has ended.
  std::uint64_t sequence = 0;
};

class feed_source {
public:
  virtual ~feed_source() = default;

  /// The snapshot, and every later change to `live`: nothing between the two is missing or comes
  /// twice. With a null `live` only the snapshot. Errors: task_not_found, objective_not_found,
  /// store_unreadable, store_failed, overloaded.
  virtual void open(const watcher_ptr& live, feed_done<feed_snapshot> done) = 0;
  /// No call to `live` begins after this returned, but for one that is just being opened.
  virtual void close(const watcher_ptr& live) = 0;
  /// A page of a stream's past, of those changes that `live` would have seen. `lone`: `stream` is a
  /// lone task's, else an objective's.
  virtual void read(const std::string& stream, bool lone, const history_range& range,
                    feed_done<history_page> done) const = 0;
  /// Whose changes it has; empty: those of more than one task.
  [[nodiscard]] virtual const task_id& task() const noexcept = 0;
  /// For whom it reads. The feeds of a principal that may read no more can be ended
  /// (`gateway::end_feeds_of`).
  [[nodiscard]] virtual const principal& reader() const noexcept = 0;
};

using feed_source_ptr = std::shared_ptr<feed_source>;

} // namespace troupe
