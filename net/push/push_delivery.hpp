// What one push configuration has to tell next: a reader of its task's feed. No sockets here; the
// sender (net/push/push_sender.hpp) posts what is in front.
#pragma once

#include "actors/feed/feed.hpp"
#include "net/push/push_items.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/push_row.hpp>
#include <troupe/store/store.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace troupe::net {

/// A task being watched since `snapshot`.
struct push_watch {
  std::shared_ptr<feed> news = nullptr; ///< Opened; null: not yet watched.
  task_snapshot snapshot = {};          ///< What the feed begins with.
};

class push_delivery {
public:
  /// `news` is the task's feed; nothing was taken from it.
  push_delivery(push_row row, std::shared_ptr<feed> news);

  enum class readiness : std::uint8_t {
    ready,   ///< `front` is to be posted.
    waiting, ///< Nothing now; the feed will tell.
    ended    ///< Nothing any more: all is told, or there is no such task.
  };
  /// Looks for what comes next. Errors: store_unreadable, overloaded: call again later, nothing is
  /// left out.
  [[nodiscard]] result<readiness> fill();

  [[nodiscard]] const push_item& front() const noexcept { return items_.front(); }
  /// The front is done with, delivered or given up.
  void pop();

  [[nodiscard]] const push_row& row() const noexcept { return row_; }
  [[nodiscard]] push_progress& progress() noexcept { return row_.progress; }

private:
  /// Finds out from where to go on.
  void begin();
  [[nodiscard]] result<readiness> take();

  push_row row_;
  std::shared_ptr<feed> news_;
  push_items items_;
  bool has_begun_ = false;
  bool has_failed_ = false; ///< The feed could not be read; it is opened anew.
  bool tells_snapshot_ =
      false; ///< The next snapshot is a notification: the client may not know what is in it.
};

} // namespace troupe::net
