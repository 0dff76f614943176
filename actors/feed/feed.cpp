#include "actors/feed/feed.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

bool withdraws_tasks(const change& news) noexcept {
  return std::any_of(news.events.begin(), news.events.end(), [](const event& each) {
    return std::holds_alternative<tasks_withdrawn>(each);
  });
}

} // namespace

// -- the inbox ------------------------------------------------------------------------------------

void feed_inbox::on_change(const change_ptr& next) {
  const std::lock_guard lock{guard_};
  queue_.push(next);
  notify_once();
}

void feed_inbox::connect(std::function<void()> notify) {
  const std::lock_guard lock{guard_};
  notify_ = std::move(notify);
  if (std::exchange(has_notified_, false))
    notify_once();
}

/// The owner is notified once, however much comes before it takes something.
void feed_inbox::notify_once() {
  if (!std::exchange(has_notified_, true) && notify_)
    notify_();
}

template<class T>
void feed_inbox::arrive(std::optional<result<T>>& place, std::uint64_t restarts,
                        result<T> outcome) {
  const std::lock_guard lock{guard_};
  if (restarts != restarts_)
    return;
  place.emplace(std::move(outcome));
  notify_once();
}

// -- the feed -------------------------------------------------------------------------------------

feed::feed(live_queue::bounds limits, feed_budget_ptr budget)
    : inbox_(std::make_shared<feed_inbox>(limits, std::move(budget))) {}

feed::~feed() {
  inbox_->connect(nullptr);
  if (source_)
    source_->close(inbox_);
}

void feed::open(feed_source_ptr from) {
  source_ = std::move(from);
  phase_ = phase::opening;
  source_->open(inbox_, [to = inbox_, at = inbox_->restarts_](result<feed_snapshot> outcome) {
    to->arrive(to->opened_, at, std::move(outcome));
  });
  static_cast<void>(is_open());
}

void feed::open(feed_source_ptr from, feed_snapshot now) {
  source_ = std::move(from);
  set_snapshot(std::move(now));
}

void feed::set_snapshot(feed_snapshot now) {
  phase_ = phase::opened;
  refusal_.reset();
  snapshot_ = std::move(now);
  is_many_ = !snapshot_.task && !snapshot_.objective;
}

void feed::forget_snapshot() noexcept {
  if (after_ || (phase_ != phase::live && phase_ != phase::behind))
    return;
  snapshot_.task = nullptr;
  snapshot_.objective = nullptr;
}

void feed::follow(feed_source_ptr from) {
  source_ = std::move(from);
  phase_ = phase::live;
}

void feed::restart() {
  {
    const std::lock_guard lock{inbox_->guard_};
    inbox_->queue_.clear();
    inbox_->opened_.reset();
    inbox_->looked_.reset();
    inbox_->page_.reset();
    ++inbox_->restarts_;
  }
  is_asked_ = false;
  after_.reset();
  open(source_);
}

void feed::pause() noexcept {
  phase_ = phase::closed;
  snapshot_ = {};
}

bool feed::is_open() {
  if (phase_ != phase::opening)
    return phase_ != phase::closed;
  const std::lock_guard lock{inbox_->guard_};
  auto outcome = std::exchange(inbox_->opened_, std::nullopt);
  if (!outcome) {
    inbox_->has_notified_ = false; // Changes may have come first; the answer is told all the same.
    return false;
  }
  if (*outcome) {
    set_snapshot(std::move(**outcome));
    return true;
  }
  set_snapshot({});
  is_many_ = false;
  refusal_ = outcome->error();
  return true;
}

feed_batch feed::take(std::size_t window) {
  feed_batch out;
  if (window == 0 || !is_open())
    return out;
  if (refusal_) {
    const std::lock_guard lock{inbox_->guard_};
    inbox_->has_notified_ = false; // The answer to a `restart` is told again.
    out.state = feed_state::failed;
    out.failure = refusal_;
    return out;
  }
  if (phase_ == phase::opened)
    begin(out);
  if (phase_ == phase::behind)
    show_page(out, window);
  else if (phase_ == phase::live)
    show_live(out, window);
  if (phase_ == phase::ending)
    show_end(out);
  if (phase_ == phase::over)
    out.state = feed_state::ended;
  return out;
}

/// Finds out from where to go on.
void feed::begin(feed_batch& out) {
  phase_ = snapshot_.sequence == sequence_end ? phase::over : phase::live;
  if (after_) {
    const bool is_whole = after_->event == stream_cursor::whole || after_->sequence == 0;
    part_ = {{}, false, is_whole ? after_->sequence : after_->sequence - 1, snapshot_.sequence};
    phase_ = phase::behind;
    return;
  }
  out.snapshot = !is_many_;
  passed_ = snapshot_.sequence;
}

void feed::show_page(feed_batch& out, std::size_t window) {
  if (!std::exchange(is_asked_, true))
    source_->read(part_.stream, part_.lone,
                  {.after = part_.after, .through = part_.through, .bytes_max = window},
                  [to = inbox_, at = inbox_->restarts_](result<history_page> outcome) {
                    to->arrive(to->page_, at, std::move(outcome));
                  });
  std::optional<result<history_page>> page;
  {
    const std::lock_guard lock{inbox_->guard_};
    inbox_->has_notified_ = false;
    page = std::exchange(inbox_->page_, std::nullopt);
  }
  if (!page)
    return;
  is_asked_ = false;
  out.state = feed_state::more;
  if (!*page) {
    out.state = feed_state::failed;
    out.failure = page->error();
    return;
  }
  out.past = true;
  const auto& past = **page;
  if (past.gone && !after_) {
    out.state = feed_state::lost;
    return;
  }
  if (past.gone) {
    out.snapshot = out.gap = true;
    finish_part();
    return;
  }
  for (const auto& each : past.changes)
    if (phase_ == phase::behind)
      show(out, each);
  if (phase_ != phase::behind)
    return;
  part_.after = past.next_after;
  if (!past.more)
    finish_part();
}

/// What was missed is read, or stands in the snapshot.
void feed::finish_part() {
  if (!is_many_)
    passed_ = std::max(passed_, part_.through);
  if (std::exchange(after_, std::nullopt)) { // What was missed before the feed was opened.
    phase_ = snapshot_.sequence == sequence_end ? phase::over : phase::live;
    return;
  }
  const std::lock_guard lock{inbox_->guard_};
  if (inbox_->queue_.resume(part_.stream, part_.through))
    phase_ = phase::live;
  else
    part_ = *inbox_->queue_.missed();
}

void feed::show_live(feed_batch& out, std::size_t window) {
  std::vector<change_ptr> taken;
  std::optional<live_queue::missed_part> missed;
  bool is_empty = false;
  bool is_lost = false;
  {
    const std::lock_guard lock{inbox_->guard_};
    inbox_->has_notified_ = false;
    taken = inbox_->queue_.take(window);
    missed = inbox_->queue_.missed();
    is_empty = inbox_->queue_.empty();
    is_lost = inbox_->queue_.is_lost();
  }
  if (is_lost) {
    out.state = feed_state::lost;
    return;
  }
  out.frames.reserve(taken.size());
  for (const auto& each : taken)
    if (phase_ == phase::live && (is_many_ || each->sequence > passed_))
      show(out, each);
  if (phase_ != phase::live)
    return;
  if (missed) {
    part_ = std::move(*missed);
    phase_ = phase::behind;
  }
  out.state = missed || !is_empty ? feed_state::more : feed_state::waiting;
}

void feed::show(feed_batch& out, const change_ptr& next) {
  const auto& task = source_->task();
  if (!task.empty() && next->task.id != task) {
    if (!next->task.id.empty() || !withdraws_tasks(*next))
      return;
    withdrawal_ = next;
    phase_ = phase::ending;
    return;
  }
  const bool is_half_shown =
      after_ && after_->event != stream_cursor::whole && next->sequence == after_->sequence;
  out.frames.push_back({next, is_half_shown ? after_->event + 1 : 0});
  if (!is_many_)
    passed_ = std::max(passed_, next->sequence);
}

/// The task ends by a change of its objective: its record says how.
void feed::show_end(feed_batch& out) {
  if (!std::exchange(is_asked_, true))
    source_->open(nullptr, [to = inbox_, at = inbox_->restarts_](result<feed_snapshot> outcome) {
      to->arrive(to->looked_, at, std::move(outcome));
    });
  std::optional<result<feed_snapshot>> looked;
  {
    const std::lock_guard lock{inbox_->guard_};
    inbox_->has_notified_ = false;
    looked = std::exchange(inbox_->looked_, std::nullopt);
  }
  out.state = feed_state::waiting;
  if (!looked)
    return;
  is_asked_ = false;
  if (!*looked) {
    out.state = feed_state::failed;
    out.failure = looked->error();
    return;
  }
  out.frames.push_back({withdrawal_, 0, std::move((*looked)->task)});
  phase_ = phase::over;
}

} // namespace troupe
