#include "actors/feed/change_wait.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

namespace troupe {

bool is_any_change(const change&) noexcept {
  return true;
}

bool may_end_waiting(const change& news) noexcept {
  // Tasks that have not begun end by a change of their objective.
  if (news.task.id.empty())
    return std::any_of(news.events.begin(), news.events.end(), [](const event& each) {
      return std::holds_alternative<tasks_withdrawn>(each);
    });
  for (auto each = news.events.rbegin(); each != news.events.rend(); ++each)
    if (const auto* moved = std::get_if<task_moved>(&*each))
      return ends_waiting(moved->to);
  const auto* made =
      news.events.empty() ? nullptr : std::get_if<task_created>(&news.events.front());
  return made != nullptr && made->record && ends_waiting(made->record->status.state);
}

/// What the committing thread leaves behind. Outlives the wait as long as it may be called.
class change_wait::note final : public watcher {
public:
  note(change_test test, std::function<void()> notify) : test_(test), notify_(std::move(notify)) {}

  void on_change(const change_ptr& next) override {
    if (test_(*next) && !has_come_.exchange(true, std::memory_order_acq_rel))
      notify_();
  }
  void open(result<feed_snapshot> now) {
    {
      const std::lock_guard lock{guard_};
      begun_.emplace(std::move(now));
    }
    notify_();
  }
  [[nodiscard]] bool has_come() const noexcept { return has_come_.load(std::memory_order_acquire); }
  [[nodiscard]] std::optional<result<feed_snapshot>> begun() const {
    const std::lock_guard lock{guard_};
    return begun_;
  }

private:
  const change_test test_;
  const std::function<void()> notify_;
  std::atomic<bool> has_come_{false};
  mutable std::mutex guard_;
  std::optional<result<feed_snapshot>> begun_;
};

change_wait::change_wait(feed_source_ptr from, change_test test, time_point until,
                         std::function<void()> notify)
    : source_(std::move(from)), until_(until),
      note_(std::make_shared<note>(test, std::move(notify))) {
  source_->open(note_, [to = note_](result<feed_snapshot> now) { to->open(std::move(now)); });
}

change_wait::~change_wait() {
  source_->close(note_);
}

change_wait::outcome change_wait::look(time_point now) const noexcept {
  if (note_->has_come())
    return outcome::changed;
  return now >= until_ ? outcome::late : outcome::waiting;
}

std::optional<result<feed_snapshot>> change_wait::begun() const {
  return note_->begun();
}

} // namespace troupe
