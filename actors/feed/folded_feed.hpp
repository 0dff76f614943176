// A feed read folded: at most so many frames a second, each with the latest of what changed since
// the last. For screens, which show states and not how they came about. It holds a few events for
// each task that changed, and no output, however much happens. A feed has one reader.
#pragma once

#include "actors/feed/any_feed.hpp"
#include "actors/feed/budget.hpp"
#include "actors/feed/limits.hpp"
#include <troupe/protocol/event.hpp>
#include <troupe/store/store.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe {

/// Keeps, for each task, the events that give its present state: its creation, the begin of its
/// last attempt, its last move, its last progress. What is said between those, and outputs and
/// messages, are in the record. Keeps, for an objective and its plans, the last pause of each, and
/// their moves; moves to and fro between `blocked` and another state are kept once. All other
/// events of an objective change its structure: each is kept. A value that is moved, not copied.
class folded_changes {
public:
  /// `budget` counts what is kept.
  explicit folded_changes(feed_budget_ptr budget = std::make_shared<feed_budget>())
      : budget_(std::move(budget)) {}
  folded_changes(folded_changes&& other) noexcept
      : budget_(other.budget_), bytes_(std::exchange(other.bytes_, 0)),
        kept_(std::exchange(other.kept_, {})), tasks_(std::exchange(other.tasks_, {})),
        pauses_(std::exchange(other.pauses_, {})), moves_(std::exchange(other.moves_, {})) {}
  folded_changes& operator=(folded_changes&&) = delete;
  ~folded_changes() { budget_->give_back(bytes_); }

  void add(const change_ptr& next);
  [[nodiscard]] bool empty() const noexcept { return kept_.empty(); }
  /// Changes held: at most four for each task that changed, six for each plan that moved or was
  /// paused, and one for each change of structure.
  [[nodiscard]] std::size_t size() const noexcept { return kept_.size(); }
  /// Of the changes held.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// What is kept, in the order in which it came. Empty afterwards.
  [[nodiscard]] std::vector<change_ptr> take();

private:
  /// A change with those of its events that are kept.
  struct kept {
    change_ptr news;
    std::size_t bytes = 0;
    std::size_t reasons = 0; ///< For which it is kept.
  };
  using place = std::list<kept>::iterator;
  enum class reason : std::uint8_t { created, began, moved, progressed };
  struct task_mark {
    std::uint32_t attempt = 0;
    std::array<std::optional<place>, 4> places{};
  };
  /// A move of the objective or of a plan, as its table has it.
  struct move_mark {
    int on;
    bool blocks;
    place at;
  };
  /// An objective, and a plan of it or none: the objective itself.
  using holder = std::pair<std::string, std::optional<std::uint32_t>>;

  void add_to_task(const change_ptr& next);
  void add_to_objective(const change_ptr& next, const event& one);
  void note_move(std::vector<move_mark>& moves, move_mark next);
  [[nodiscard]] place keep(change_ptr news);
  void keep_for(std::optional<place>& mark, place at);
  void release(place at);

  feed_budget_ptr budget_;
  std::size_t bytes_ = 0;
  std::list<kept> kept_;
  std::unordered_map<std::string, task_mark> tasks_; ///< By id.
  std::map<holder, std::optional<place>> pauses_;
  std::map<holder, std::vector<move_mark>> moves_; ///< Those that are kept.
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
  explicit folded_inbox(feed_budget_ptr budget) : marks_(std::move(budget)) {}

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

  /// `frames_per_second` is at least 1. `budget` counts what waits for the next frame.
  explicit folded_feed(std::size_t frames_per_second = folded_frames_per_second,
                       feed_budget_ptr budget = std::make_shared<feed_budget>());
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
  const std::shared_ptr<folded_inbox> inbox_;
  feed_source_ptr source_;
  const std::chrono::nanoseconds interval_;
  time_point next_at_ = time_point::min();
  std::uint64_t frames_ = 0;
};

} // namespace troupe
