// A feed: what is there now, then everything after it, from a cursor, at its reader's speed. Event
// streams, notifications and the terminal are readers of feeds. The reader asks for as much as it
// can take; what happened meanwhile waits in a bounded queue, what does not fit is read from the
// history. One thread at a time owns a feed and takes from it; changes and pages reach its inbox
// from any thread, and the owner is told that there is something. A feed has no thread, clock or
// socket.
#pragma once

#include "actors/feed/any_feed.hpp"
#include "actors/feed/live_queue.hpp"
#include "actors/feed/source.hpp"
#include "protocol/cursor.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace troupe {

/// One item a reader gets: a change.
struct frame {
  change_ptr news;
  std::uint32_t first_event = 0; ///< The reader knows the events of the change before this one.
  /// Set if the change is the objective's and ends a task that never began: the task as it ended.
  /// Then it is the last frame.
  task_ptr withdrawn = nullptr;
};

enum class feed_state : std::uint8_t {
  waiting, ///< That is all for now; the notification says when there is more.
  more,    ///< Ask again, there is no notification.
  ended,   ///< Nothing comes any more.
  lost,    ///< What comes next is not kept anywhere. `restart` begins with a snapshot again.
  failed   ///< See feed_batch::failure. Asking again tries again.
};

/// What a feed gives at once.
struct feed_batch {
  /// The snapshot comes first (feed::snapshot): at the beginning; in place of a past that is not
  /// kept (`gap`).
  bool snapshot = false;
  bool gap = false;
  std::vector<frame> frames;
  bool past = false; ///< The frames are of the history: nobody else holds them.
  feed_state state = feed_state::waiting;
  std::optional<error> failure;
};

/// Where changes and pages arrive. Thread-safe.
class feed_inbox final : public watcher {
public:
  feed_inbox(live_queue::bounds limits, feed_budget_ptr budget)
      : queue_(limits, std::move(budget)) {}

  void on_change(const change_ptr& next) override;
  [[nodiscard]] bool reads_past() const noexcept override { return true; }

  /// `notify` is called, on the thread that brings it, when there is something that was not taken
  /// yet; at once if it is there already. It must not block and not call the feed.
  void connect(std::function<void()> notify);

private:
  friend class feed;

  /// `restarts`: as many as there were when it was asked for. It is passed over if there was one
  /// since.
  template<class T>
  void arrive(std::optional<result<T>>& place, std::uint64_t restarts, result<T> outcome);
  void notify_once();

  std::mutex guard_;
  std::function<void()> notify_;
  bool has_notified_ = false; ///< Since something was taken last.
  live_queue queue_;
  std::optional<result<feed_snapshot>> opened_;
  std::optional<result<feed_snapshot>> looked_;
  std::optional<result<history_page>> page_;
  std::uint64_t restarts_ = 0; ///< Of the feed. Changed by its owner alone, under the lock.
};

class feed final : public any_feed {
public:
  feed(live_queue::bounds limits, feed_budget_ptr budget);
  ~feed() override;

  [[nodiscard]] watcher_ptr live() const noexcept override { return inbox_; }
  /// feed_inbox::connect
  void connect(std::function<void()> notify) { inbox_->connect(std::move(notify)); }

  /// Begins to watch; the snapshot comes first.
  void open(feed_source_ptr from);
  void open(feed_source_ptr from, feed_snapshot now) override;
  /// Before anything was taken: in place of the snapshot comes what happened since, or, if that is
  /// not kept, the snapshot that says so.
  void go_on_after(stream_cursor at) noexcept { after_ = at; }
  void follow(feed_source_ptr from) override;
  /// After `lost`, `failed` or `pause`: begins with a snapshot of now. What was asked for before
  /// does not count any more, answered or not.
  void restart();
  /// Holds nothing of its source, and gives nothing until `restart`. Changes that come meanwhile
  /// take their place in the queue all the same, and so does the answer to what was asked for.
  void pause() noexcept;

  /// Whether the snapshot is there, or the reason why there is none. Right after `open` for a
  /// source that answers at once.
  [[nodiscard]] bool is_open();
  /// Whether something was asked of the source that has not been taken: a snapshot, a page of the
  /// past, a record.
  [[nodiscard]] bool is_reading() const noexcept { return is_asked_ || phase_ == phase::opening; }
  /// For whom it reads; null before it has a source.
  [[nodiscard]] const principal* reader() const noexcept {
    return source_ ? &source_->reader() : nullptr;
  }
  /// If it is open: why it is not.
  [[nodiscard]] const std::optional<error>& refusal() const noexcept { return refusal_; }
  /// As it was when the feed was opened, or restarted. Empty before that, and for one that follows.
  [[nodiscard]] const feed_snapshot& snapshot() const noexcept { return snapshot_; }
  /// The reader has shown something, and needs no record any more: the feed may last longer than
  /// the task or objective. While the past is read that a snapshot may replace, it stays.
  void forget_snapshot() noexcept;
  /// As many frames as fit into about `window` bytes; at least one if there is one, none if
  /// `window` is 0: its reader can take none.
  [[nodiscard]] feed_batch take(std::size_t window);

private:
  enum class phase : std::uint8_t { closed, opening, opened, behind, live, ending, over };

  void set_snapshot(feed_snapshot now);
  void begin(feed_batch& out);
  void show_page(feed_batch& out, std::size_t window);
  void show_live(feed_batch& out, std::size_t window);
  void show_end(feed_batch& out);
  void show(feed_batch& out, const change_ptr& next);
  void finish_part();

  const std::shared_ptr<feed_inbox> inbox_;
  feed_source_ptr source_;
  phase phase_ = phase::closed;
  feed_snapshot snapshot_;
  std::optional<error> refusal_;
  std::optional<stream_cursor> after_; ///< From where the reader goes on, until it has.
  bool is_many_ = false;               ///< Streams: then no sequence stands for all of them.
  bool is_asked_ = false;        ///< A page, or the record of a withdrawn task, is on its way.
  live_queue::missed_part part_; ///< While behind: what is being read.
  /// Unless there are many streams: the reader knows everything up to here.
  std::uint64_t passed_ = 0;
  change_ptr withdrawal_; ///< While ending.
};

} // namespace troupe
