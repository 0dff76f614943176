#include "net/push/push_delivery.hpp"

#include "protocol/change_size.hpp"
#include <troupe/net/limits.hpp>

#include <algorithm>
#include <utility>

namespace troupe::net {

push_delivery::push_delivery(push_row row, std::shared_ptr<feed> news, feed_budget_ptr feeds,
                             bool has_history)
    : row_(std::move(row)), news_(std::move(news)), feeds_(std::move(feeds)),
      has_history_(has_history),
      items_(row_.config.task, row_.config.payload, row_.progress, row_.config.progress),
      is_known_(news_->is_open() && !news_->refusal()),
      must_open_(!news_->is_open() && !news_->is_reading()) {}

result<push_delivery::readiness> push_delivery::fill() {
  resting_ = {};
  for (;;) {
    if (!items_.empty())
      return readiness::ready;
    if (items_.has_ended())
      return readiness::ended;
    if (std::exchange(must_open_, false)) {
      news_->restart();
      has_begun_ = false;
    }
    if (!news_->is_open())
      return readiness::waiting;
    if (!has_begun_)
      begin();
    const auto took = take();
    if (!took || (*took != readiness::ready && items_.empty() && !items_.has_ended()))
      return took;
  }
}

void push_delivery::begin() {
  has_begun_ = true;
  is_known_ = is_known_ || !news_->refusal();
  const auto& now = news_->snapshot();
  tells_snapshot_ = row_.progress.snapshot_first;
  if (now.task && !row_.progress.snapshot_first && row_.progress.after < now.sequence)
    news_->go_on_after({items_.reads_after(), stream_cursor::whole});
}

/// Takes what the feed has, as items. `ready`: there may be more.
result<push_delivery::readiness> push_delivery::take() {
  const auto batch = news_->take(push_window_bytes);
  if (const auto counted = count(batch); !counted)
    return counted.error();
  const auto& now = news_->snapshot();
  if (batch.snapshot)
    items_.start_at(now.task, now.sequence, batch.gap || tells_snapshot_);
  for (const auto& each : batch.frames)
    items_.take(each.news, each.withdrawn);
  if (items_.empty())
    waiting_ = {};
  news_->forget_snapshot(); // The task may end long before all is delivered.
  switch (batch.state) {
    case feed_state::more: return readiness::ready;
    case feed_state::waiting: return readiness::waiting;
    case feed_state::ended:
      // A task that has ended without its history saying so is not expected: then at least its last
      // state is told.
      if (!items_.has_ended() && now.task)
        items_.start_at(now.task, now.sequence, true);
      return readiness::ended;
    case feed_state::lost: // The task as it is, in place of how it came there.
      tells_snapshot_ = true;
      news_->restart();
      return readiness::ready;
    case feed_state::failed:
      // What was taken before is told first.
      if (batch.failure->code == errc::task_not_found && is_known_ && items_.empty())
        return make_error(errc::task_not_found, "the task is no longer kept");
      if (batch.failure->code == errc::task_not_found)
        return readiness::ended;
      start_anew();
      return *batch.failure;
  }
  return readiness::ended;
}

void push_delivery::start_anew() {
  items_.reset(row_.progress);
  waiting_ = {};
  past_.clear();
  past_bytes_ = 0;
  news_->pause();
  must_open_ = true;
}

void push_delivery::rest() {
  if (must_open_ || is_reading())
    return;
  resting_ = {};
  if (has_history_ && past_bytes_ > push_assured_bytes)
    return start_anew();
  const auto& unread = news_->snapshot().task;
  const auto all = items_.record_bytes() + (unread ? bytes_of(*unread) : 0);
  const auto bytes = all - std::min(all, past_bytes_); // The past is counted.
  if (bytes == 0)
    return;
  if (!has_history_)
    feeds_->force(bytes); // If it were let go, the end of the task might never be told.
  else if (bytes > push_assured_bytes || !feeds_->take(bytes))
    return start_anew();
  resting_ = {feeds_, bytes};
}

result<void> push_delivery::count(const feed_batch& taken) {
  std::size_t bytes = 0;
  for (const auto& each : taken.frames)
    bytes += bytes_of(*each.news);
  if (taken.past && row_.config.payload == push_payload::v0_3 && bytes > 0) {
    past_bytes_ += bytes;
    if (past_bytes_ <= push_assured_bytes || !has_history_) {
      feeds_->force(bytes);
    } else if (!feeds_->take(bytes)) {
      start_anew();
      return no_room();
    }
    past_.emplace_back(feeds_, bytes);
    return {};
  }
  feeds_->force(bytes); // The feed has just given so much back, or the store read no more at once.
  waiting_ = {feeds_, bytes};
  return {};
}

error push_delivery::no_room() {
  return make_error(errc::overloaded,
                    "there is no room for the notification (limits.stream-bytes-total, and feeds "
                    "of limits.memory); it is sent later");
}

result<push_body> push_delivery::write_front() {
  auto text = items_.write_front();
  const auto bytes = text.capacity();
  if (bytes <= push_assured_bytes)
    feeds_->force(bytes);
  else if (!feeds_->take_whole(bytes))
    return no_room();
  return push_body{std::move(text), {feeds_, bytes}};
}

void push_delivery::pop() {
  row_.progress.after = items_.front().after;
  row_.progress.events = items_.front().events;
  row_.progress.snapshot_first = false;
  items_.pop();
  if (items_.empty())
    waiting_ = {};
}

} // namespace troupe::net
