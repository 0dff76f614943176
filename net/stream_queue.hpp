// What stands between the store and one reader of an event stream: a bounded queue. The committing thread pushes, the session takes.
// Progress is merged (the latest per task), everything else is kept in order; at the limit the queue gives up as a whole and says so.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "net/wakeup.hpp"
#include "protocol/event.hpp"
#include "store/store.hpp"

namespace troupe::net {

/// Roughly the bytes a change holds in memory and will need on the wire.
[[nodiscard]] std::size_t approximate_bytes(const change& what) noexcept;
/// Whether a change tells nothing but progress.
[[nodiscard]] bool is_only_progress(const change& what) noexcept;

class stream_queue final : public watcher {
public:
  /// `reader` is notified when there is something to take. `bytes_max` is for what gathers behind the oldest change.
  stream_queue(wakeup_ptr reader, std::size_t events_max, std::size_t bytes_max)
    : reader_(std::move(reader)), events_max_(events_max), bytes_max_(bytes_max) {}

  /// Called by the store.
  void on_change(const change_ptr& what) override;

  struct batch {
    std::vector<change_ptr> changes;
    bool overflowed = false; ///< Changes are missing after these: the stream must end.
  };

  /// Everything since the last call, in commit order. The session's thread.
  [[nodiscard]] batch take();

  /// Entries held, at most `events_max`.
  [[nodiscard]] std::size_t size() const;

private:
  struct entry {
    change_ptr what;
    std::size_t bytes = 0;
  };

  void drop_progress_of(const std::string& task);

  wakeup_ptr reader_;
  const std::size_t events_max_;
  const std::size_t bytes_max_;

  mutable std::mutex lock_;
  std::list<entry> entries_;
  std::unordered_map<std::string, std::list<entry>::iterator> progress_; ///< Task to its progress among the entries.
  std::size_t bytes_ = 0; ///< Of all entries.
  bool overflowed_ = false;
};

} // namespace troupe::net
