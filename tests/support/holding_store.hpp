// A memory store whose commits a test holds back, as a slow or full disk does.
#pragma once

#include "tests/support/passing_store.hpp"

#include <deque>
#include <mutex>
#include <utility>

namespace troupe::testing {

/// Keeps changes waiting, as a slow disk does, until it is drained or let through.
class holding_store final : public passing_store {
public:
  void commit(change change, committed_fn then, watcher_ptr follow) override {
    const std::lock_guard lock{guard_};
    waiting_.push_back({std::move(change), std::move(then), std::move(follow)});
    if (!is_holding_)
      pass_all();
  }
  void flush() override { drain(); }
  void drain() override {
    const std::lock_guard lock{guard_};
    pass_all();
  }

  /// From now on.
  void hold() {
    const std::lock_guard lock{guard_};
    is_holding_ = true;
  }
  /// Lets all through that waits, and holds nothing back any more.
  void release() {
    const std::lock_guard lock{guard_};
    is_holding_ = false;
    pass_all();
  }
  /// Lets the first one through that waits.
  void release_one() {
    const std::lock_guard lock{guard_};
    pass_one();
  }
  [[nodiscard]] std::size_t waiting() {
    const std::lock_guard lock{guard_};
    return waiting_.size();
  }

private:
  struct held {
    change submitted;
    committed_fn then;
    watcher_ptr follow;
  };

  void pass_all() {
    while (!waiting_.empty())
      pass_one();
  }
  void pass_one() {
    auto next = std::move(waiting_.front());
    waiting_.pop_front();
    passing_store::commit(std::move(next.submitted), std::move(next.then), std::move(next.follow));
  }

  std::recursive_mutex guard_; ///< A continuation may commit again.
  std::deque<held> waiting_;
  bool is_holding_ = false;
};

} // namespace troupe::testing
