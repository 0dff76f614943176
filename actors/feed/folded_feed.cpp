#include "actors/feed/folded_feed.hpp"

#include "protocol/change_size.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

namespace troupe {

// -- changes folded -------------------------------------------------------------------------------

namespace {

/// What a task shows without its record.
bool is_shown(const event& one) noexcept {
  return std::holds_alternative<task_created>(one) || std::holds_alternative<task_moved>(one)
         || std::holds_alternative<task_progress>(one);
}

/// The same change with only these of its events.
change_ptr part_of(const change_ptr& whole, std::vector<event> events) {
  if (events.size() == whole->events.size())
    return whole;
  auto out = std::make_shared<change>();
  out->context = whole->context;
  out->task = whole->task;
  out->at = whole->at;
  out->sequence = whole->sequence;
  out->progress = whole->progress;
  out->events = std::move(events);
  return out;
}

} // namespace

void folded_changes::add(const change_ptr& next) {
  if (!next->task.id.empty())
    return add_to_task(next);
  for (const auto& one : next->events)
    add_to_objective(next, one);
}

void folded_changes::add_to_task(const change_ptr& next) {
  std::vector<event> shown;
  std::ranges::copy_if(next->events, std::back_inserter(shown), is_shown);
  if (shown.empty())
    return;
  auto& of = tasks_[next->task.id.str()];
  const auto mark = [&](reason why) -> std::optional<place>& {
    return of.places[static_cast<std::size_t>(why)];
  };
  const auto at = keep(part_of(next, std::move(shown)));
  for (const auto& each : at->news->events) {
    if (std::holds_alternative<task_created>(each)) {
      keep_for(mark(reason::created), at);
    } else if (const auto* moved = std::get_if<task_moved>(&each)) {
      if (moved->attempt > of.attempt)
        keep_for(mark(reason::began), at);
      of.attempt = moved->attempt;
      keep_for(mark(reason::moved), at);
    } else {
      keep_for(mark(reason::progressed), at);
    }
  }
  release(at);
}

void folded_changes::add_to_objective(const change_ptr& next, const event& one) {
  if (const auto* edited = std::get_if<objective_edited>(&one); edited && edited->edited.empty())
    return;
  const auto at = keep(part_of(next, {one}));
  if (const auto* pause = std::get_if<pause_changed>(&one)) {
    keep_for(pauses_[{next->context, pause->plan}], at);
    release(at);
  } else if (const auto* moved = std::get_if<plan_moved>(&one)) {
    note_move(moves_[{next->context, moved->plan}],
              {static_cast<int>(moved->on), moved->on == plan_event::block, at});
  } else if (const auto* objective = std::get_if<objective_moved>(&one)) {
    note_move(moves_[{next->context, std::nullopt}],
              {static_cast<int>(objective->on), objective->on == objective_event::block, at});
  }
}

/// "work, block, work, block" leads to the same state as "work, block", so the two moves in the
/// middle are left out.
void folded_changes::note_move(std::vector<move_mark>& moves, move_mark next) {
  const auto count = moves.size();
  if (count >= 3 && next.blocks && moves[count - 2].blocks
      && moves[count - 1].on == moves[count - 3].on) {
    release(moves[count - 2].at);
    release(moves[count - 1].at);
    moves.resize(count - 2);
  }
  moves.push_back(next);
}

/// For one reason, until it is released.
folded_changes::place folded_changes::keep(change_ptr news) {
  const auto bytes = bytes_of(*news);
  budget_->force(bytes);
  bytes_ += bytes;
  return kept_.insert(kept_.end(), {std::move(news), bytes, 1});
}

/// In place of what was kept for the same reason before.
void folded_changes::keep_for(std::optional<place>& mark, place at) {
  ++at->reasons;
  if (mark)
    release(*mark);
  mark = at;
}

void folded_changes::release(place at) {
  if (--at->reasons > 0)
    return;
  budget_->give_back(at->bytes);
  bytes_ -= at->bytes;
  kept_.erase(at);
}

std::vector<change_ptr> folded_changes::take() {
  std::vector<change_ptr> out;
  out.reserve(kept_.size());
  for (auto& each : kept_)
    out.push_back(std::move(each.news));
  budget_->give_back(std::exchange(bytes_, 0));
  kept_.clear();
  tasks_.clear();
  pauses_.clear();
  moves_.clear();
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
  const std::lock_guard lock{guard_};
  return std::move(marks_);
}

// -- the feed -------------------------------------------------------------------------------------

folded_feed::folded_feed(std::size_t frames_per_second, feed_budget_ptr budget)
    : inbox_(std::make_shared<folded_inbox>(std::move(budget))),
      interval_(std::chrono::nanoseconds(std::chrono::seconds(1)) / frames_per_second) {}

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

} // namespace troupe
