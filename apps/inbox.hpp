// Brings what other threads have to say to the thread that draws and asks: committed changes from the store and replies of the gateway.
// Any thread puts in, one takes out; a file descriptor becomes readable when there is something, so that it fits into poll.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "protocol/event.hpp"
#include "store/store.hpp"

namespace troupe {

class inbox final : public watcher {
public:
  inbox();
  ~inbox() override;
  inbox(const inbox&) = delete;
  inbox& operator=(const inbox&) = delete;

  void on_change(const change_ptr& what) override;
  /// `what` runs on the taking thread.
  void post(std::function<void()> what);

  /// Readable while something waits.
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

  struct content {
    std::vector<change_ptr> changes; ///< In commit order.
    std::vector<std::function<void()>> posted;
  };
  /// Everything that waits; never blocks.
  [[nodiscard]] content take();

private:
  void wake();

  int descriptor_ = -1;
  std::mutex mutex_;
  content content_;
};

} // namespace troupe
