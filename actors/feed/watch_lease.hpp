// A watch that may end before it is known what it is on.
#pragma once

#include <troupe/store/store.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace troupe {

/// A watch on a task or an objective. Which one, or that it is there at all, may become known only
/// when no reader is left: the watch ends with what comes last. Thread-safe.
class watch_lease {
public:
  /// `records` outlives it.
  watch_lease(store& records, watcher_ptr watcher)
      : records_(records), watcher_(std::move(watcher)) {}

  [[nodiscard]] const watcher_ptr& watcher() const noexcept { return watcher_; }
  /// From now on the store may have the watcher watch this.
  void on(const std::string& task_or_objective);
  /// Nobody wants to know any more.
  void end();

private:
  store& records_;
  const watcher_ptr watcher_;
  std::mutex guard_;
  std::string watched_; ///< Empty: not known yet.
  bool ended_ = false;
};

} // namespace troupe
