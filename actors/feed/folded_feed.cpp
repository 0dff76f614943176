#include "actors/feed/folded_feed.hpp"

#include <utility>
#include <variant>

namespace troupe {

// -- changes folded -------------------------------------------------------------------------------

void folded_changes::add(const change_ptr& next) {
  if (next->task.id.empty()) {
    kept_.push_back({next, 1});
    return;
  }
  auto& of = marks_[next->task.id.str()];
  const auto place = kept_.insert(kept_.end(), {next, 1}); // Its own, until all is looked at.
  for (const auto& each : next->events) {
    if (std::holds_alternative<task_created>(each)) {
      keep(of, reason::created, place);
    } else if (const auto* moved = std::get_if<task_moved>(&each)) {
      if (moved->attempt > of.attempt)
        keep(of, reason::began, place);
      of.attempt = moved->attempt;
      keep(of, reason::moved, place);
    } else if (std::holds_alternative<task_progress>(each)) {
      keep(of, reason::progressed, place);
    }
  }
  if (--place->reasons == 0)
    kept_.erase(place);
}

void folded_changes::keep(mark& of, reason why, std::list<kept>::iterator place) {
  const auto index = static_cast<std::size_t>(why);
  ++place->reasons;
  if (of.has[index] && --of.places[index]->reasons == 0)
    kept_.erase(of.places[index]);
  of.places[index] = place;
  of.has[index] = true;
}

std::vector<change_ptr> folded_changes::take() {
  std::vector<change_ptr> out;
  out.reserve(kept_.size());
  for (auto& each : kept_)
    out.push_back(std::move(each.news));
  kept_.clear();
  marks_.clear();
  return out;
}

// -- the inbox ------------------------------------------------------------------------------------

void folded_inbox::on_change(const change_ptr& next) {
  const std::lock_guard lock{guard_};
  const bool was_empty = marks_.empty();
  marks_.add(next);
  if (was_empty && !marks_.empty() && notify_)
    notify_();
}

void folded_inbox::connect(std::function<void()> notify) {
  const std::lock_guard lock{guard_};
  notify_ = std::move(notify);
  if (!marks_.empty() && notify_)
    notify_();
}

folded_changes folded_inbox::take() {
  folded_changes out;
  const std::lock_guard lock{guard_};
  std::swap(out, marks_);
  return out;
}

// -- the feed -------------------------------------------------------------------------------------

folded_feed::folded_feed(std::size_t frames_per_second)
    : interval_(std::chrono::nanoseconds(std::chrono::seconds(1)) / frames_per_second) {}

folded_feed::~folded_feed() {
  inbox_->connect(nullptr);
  if (source_)
    source_->close(inbox_);
}

void folded_feed::open(feed_source_ptr from, feed_snapshot) {
  source_ = std::move(from);
}

void folded_feed::follow(feed_source_ptr from) {
  source_ = std::move(from);
}

folded_frame_ptr folded_feed::turn(time_point now) {
  if (now < next_at_)
    return nullptr;
  auto taken = inbox_->take();
  if (taken.empty())
    return nullptr;
  next_at_ = now + interval_;
  return std::make_shared<const folded_frame>(folded_frame{++frames_, taken.take()});
}

// -- a reader -------------------------------------------------------------------------------------

void folded_reader::offer(const folded_frame_ptr& next) {
  if (!next)
    return;
  number_ = next->number;
  if (!next_ && pending_.empty()) {
    next_ = next;
    return;
  }
  if (const auto first = std::exchange(next_, nullptr))
    for (const auto& each : first->changes)
      pending_.add(each);
  for (const auto& each : next->changes)
    pending_.add(each);
}

folded_frame_ptr folded_reader::take() {
  if (next_)
    return std::exchange(next_, nullptr);
  if (pending_.empty())
    return nullptr;
  return std::make_shared<const folded_frame>(folded_frame{number_, pending_.take()});
}

} // namespace troupe
