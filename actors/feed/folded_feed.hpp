// A feed read folded: at most so many frames a second, each with the latest of what changed since
// the last. For screens, which show how things stand and not how they came there. It holds a few
// changes for each task that changed, however much happens: it is no queue and loses nothing that a
// later change does not say as well. A frame is made once for all its readers.
#pragma once

#include "actors/feed/any_feed.hpp"
#include "actors/feed/limits.hpp"
#include <troupe/protocol/event.hpp>
#include <troupe/store/store.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe {

/// Of each task the changes that say how it stands: its creation, the begin of its last attempt,
/// its last move, its last progress; and every change of the objective itself, of which there are
/// few. What is said between those, and outputs and messages, stands in the record. A plain value.
class folded_changes {
public:
  void add(const change_ptr& next);
  [[nodiscard]] bool empty() const noexcept { return kept_.empty(); }
  /// Changes held: at most four for each task that changed, and those of the objective.
  [[nodiscard]] std::size_t size() const noexcept { return kept_.size(); }
  /// What is kept, in the order in which it came. Empty afterwards.
  [[nodiscard]] std::vector<change_ptr> take();

private:
  enum class reason : std::uint8_t { created, began, moved, progressed };
  struct kept {
    change_ptr news;
    std::size_t reasons = 0; ///< For which it is kept.
  };
  struct mark {
    std::uint32_t attempt = 0;
    std::array<std::list<kept>::iterator, 4> places{};
    std::array<bool, 4> has{};
  };

  void keep(mark& of, reason why, std::list<kept>::iterator place);

  std::list<kept> kept_;
  std::unordered_map<std::string, mark> marks_; ///< By task.
};

/// One look at what changed.
struct folded_frame {
  std::uint64_t number = 0; ///< Counts the frames of a feed from 1.
  std::vector<change_ptr> changes;
};

using folded_frame_ptr = std::shared_ptr<const folded_frame>;

/// Where changes gather. Thread-safe.
class folded_inbox final : public watcher {
public:
  void on_change(const change_ptr& next) override;
  void connect(std::function<void()> notify);
  /// Empty afterwards.
  [[nodiscard]] folded_changes take();

private:
  std::mutex guard_;
  folded_changes marks_;
  std::function<void()> notify_;
};

/// Changes come from any thread; one thread owns and turns it. The frames begin behind the snapshot
/// with which it was opened.
class folded_feed final : public any_feed {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// `frames_per_second` is at least 1.
  explicit folded_feed(std::size_t frames_per_second = folded_frames_per_second);
  ~folded_feed() override;

  [[nodiscard]] watcher_ptr live() const noexcept override { return inbox_; }
  void open(feed_source_ptr from, feed_snapshot now) override;
  void follow(feed_source_ptr from) override;
  /// `notify` is called, on the thread that brings it, at the first change after a frame. It must
  /// not block and not call the feed.
  void connect(std::function<void()> notify) { inbox_->connect(std::move(notify)); }

  /// The next frame; null if nothing has changed since the last one, or if that one is too fresh.
  [[nodiscard]] folded_frame_ptr turn(time_point now);

private:
  const std::shared_ptr<folded_inbox> inbox_ = std::make_shared<folded_inbox>();
  feed_source_ptr source_;
  const std::chrono::nanoseconds interval_;
  time_point next_at_ = time_point::min();
  std::uint64_t frames_ = 0;
};

/// One reader of a folded feed, at its own speed: frames that it has not taken yet are folded into
/// one.
class folded_reader {
public:
  void offer(const folded_frame_ptr& next);
  /// What changed since the last call; null if nothing did.
  [[nodiscard]] folded_frame_ptr take();

private:
  folded_frame_ptr next_;  ///< Shared with others as long as it is the only one.
  folded_changes pending_; ///< Else.
  std::uint64_t number_ = 0;
};

} // namespace troupe
