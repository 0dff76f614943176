// What one push configuration has to tell next: a reader of its task's feed. No sockets here; the
// sender (net/push/push_sender.hpp) posts what is in front.
#pragma once

#include "actors/feed/feed.hpp"
#include "net/push/push_items.hpp"
#include "net/stream_budget.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/push_row.hpp>
#include <troupe/store/store.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace troupe::net {

/// A task being watched since `snapshot`.
struct push_watch {
  std::shared_ptr<feed> news = nullptr; ///< Opened; null: not yet watched.
  task_snapshot snapshot = {};          ///< What the feed begins with.
};

/// The text of a notification while it is posted.
struct push_body {
  std::string text;
  stream_budget::share held; ///< Its bytes.
};

class push_delivery {
public:
  /// `news` is the task's feed, which may be paused; nothing was taken from it. What waits to be
  /// posted counts in `feeds`, and so does what is read of the past. `has_history`: of the store.
  push_delivery(push_row row, std::shared_ptr<feed> news, feed_budget_ptr feeds, bool has_history);

  enum class readiness : std::uint8_t {
    ready,   ///< `front` is to be posted.
    waiting, ///< Nothing now; the feed will tell. If `is_reading`, that is soon.
    ended    ///< Nothing any more: all is told, or there is no such task.
  };
  /// Looks for what comes next. Errors: store_unreadable, overloaded: call again later, nothing is
  /// left out. task_not_found: the task was there, and what is left to tell cannot be read any
  /// more.
  [[nodiscard]] result<readiness> fill();

  [[nodiscard]] const push_item& front() const noexcept { return items_.front(); }
  /// Makes the text of the front. errc::overloaded: there is no room for it; call again later.
  [[nodiscard]] result<push_body> write_front();
  /// The front is done with, delivered or given up.
  void pop();
  /// Whether the store was asked for something that has not come.
  [[nodiscard]] bool is_reading() const noexcept { return news_->is_reading(); }
  /// Nothing is posted before others had their turns, or before a time: a record of the task, which
  /// may end meanwhile, is counted if it is short or if the store has no history. Else it is let
  /// go, and what is posted is made anew, as in a process that begins.
  void rest();

  [[nodiscard]] const push_row& row() const noexcept { return row_; }
  [[nodiscard]] push_progress& progress() noexcept { return row_.progress; }

private:
  /// Finds out from where to go on.
  void begin();
  [[nodiscard]] result<readiness> take();
  /// Counts what was taken. errc::overloaded: the past finds no room, and nothing was taken.
  /// Without a history it is not refused: it might be gone later.
  [[nodiscard]] result<void> count(const feed_batch& taken);
  [[nodiscard]] static error no_room();
  /// What was taken is forgotten, and the feed opened anew at the next call of `fill`.
  void start_anew();

  push_row row_;
  std::shared_ptr<feed> news_;
  const feed_budget_ptr feeds_;
  const bool has_history_; ///< Of the store: what is let go can be read anew.
  push_items items_;
  stream_budget::share waiting_; ///< Changes of which `items_` tell.
  /// 0.3: what was read of the past, of which the task is made that is posted. What happens while
  /// the configuration is there is shared with the record of the live task.
  std::vector<stream_budget::share> past_;
  std::size_t past_bytes_ = 0; ///< Of them.
  bool has_begun_ = false;
  stream_budget::share resting_; ///< The record, while nothing is posted.
  bool is_known_;                ///< There was such a task.
  bool must_open_ = false;       ///< The feed is paused.
  bool tells_snapshot_ =
      false; ///< The next snapshot is a notification: the client may not know what is in it.
};

} // namespace troupe::net
