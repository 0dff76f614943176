// What one push configuration has to tell next: watches its task, goes back to the journal for what it missed, and never holds more than
// a bounded number of changes in memory. No sockets here; the sender (net/push_sender.hpp) posts what is in front.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "net/push_feed.hpp"
#include "protocol/errc.hpp"
#include "protocol/push_row.hpp"
#include "store/store.hpp"

namespace troupe::net {

/// Changes on their way from the committing thread. When it is full it lets go of everything and says so: the journal has it.
class push_inbox final : public watcher {
public:
  explicit push_inbox(std::size_t changes_max) : changes_max_(changes_max) {}

  /// `wake` is called, by the committing thread, when the first change has come; at once if one is there. It must not block.
  void connect(std::function<void()> wake);
  void on_change(const change_ptr& what) override;

  struct batch {
    std::vector<change_ptr> changes;
    bool overflowed = false;
  };
  /// Everything since the last call.
  [[nodiscard]] batch take();

private:
  const std::size_t changes_max_;
  std::mutex guard_;
  std::function<void()> wake_;
  batch waiting_;
};

/// A task being watched since `snapshot`.
struct push_watch {
  std::shared_ptr<push_inbox> inbox;
  task_snapshot snapshot; ///< Null record: not yet watched.
};

class push_delivery {
public:
  /// `records` outlives it.
  push_delivery(store& records, push_row row, push_watch watched);
  /// Watches no more.
  ~push_delivery();
  push_delivery(const push_delivery&) = delete;
  push_delivery& operator=(const push_delivery&) = delete;

  enum class readiness : std::uint8_t {
    ready,   ///< `front` is to be posted.
    waiting, ///< Nothing now; the inbox will wake.
    ended    ///< Nothing any more: all is told, or nobody knows the task.
  };
  /// Looks for what comes next; may read from disk. Errors: store_failed.
  [[nodiscard]] result<readiness> fill();

  [[nodiscard]] const push_item& front() const noexcept { return feed_.front(); }
  /// The front is done with, delivered or given up.
  void pop();

  [[nodiscard]] const push_row& row() const noexcept { return row_; }
  [[nodiscard]] push_progress& progress() noexcept { return row_.progress; }

private:
  enum class phase : std::uint8_t { detached, behind, live };

  /// Begins to watch; false if the task is unknown.
  [[nodiscard]] bool attach();
  /// Finds out from where to go on.
  void begin();
  [[nodiscard]] result<void> catch_up();
  /// False if there is nothing.
  [[nodiscard]] bool take_news();
  void take(const change& what);

  store& records_;
  push_row row_;
  std::shared_ptr<push_inbox> inbox_;
  push_feed feed_;
  phase phase_ = phase::detached;
  task_snapshot snapshot_;    ///< While behind, and before.
  std::uint64_t read_ = 0;    ///< While behind: how far the journal has been read.
};

} // namespace troupe::net
