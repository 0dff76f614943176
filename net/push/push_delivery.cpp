#include "net/push/push_delivery.hpp"

#include <troupe/net/limits.hpp>

#include <utility>

namespace troupe::net {

push_delivery::push_delivery(push_row row, std::shared_ptr<feed> news)
    : row_(std::move(row)), news_(std::move(news)),
      items_(row_.config.task, row_.config.payload, row_.progress, row_.config.progress) {}

result<push_delivery::readiness> push_delivery::fill() {
  for (;;) {
    if (!items_.empty())
      return readiness::ready;
    if (items_.has_ended())
      return readiness::ended;
    if (std::exchange(has_failed_, false)) {
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
  const auto& now = news_->snapshot();
  tells_snapshot_ = row_.progress.snapshot_first;
  if (now.task && !row_.progress.snapshot_first && row_.progress.after < now.sequence)
    news_->go_on_after({items_.reads_after(), stream_cursor::whole});
}

/// Takes what the feed has, as items. `ready`: there may be more.
result<push_delivery::readiness> push_delivery::take() {
  const auto batch = news_->take(push_window_bytes);
  const auto& now = news_->snapshot();
  if (batch.snapshot)
    items_.start_at(now.task, now.sequence, batch.gap || tells_snapshot_);
  for (const auto& each : batch.frames)
    items_.take(*each.news, each.withdrawn);
  switch (batch.state) {
    case feed_state::more: return readiness::ready;
    case feed_state::waiting: return readiness::waiting;
    case feed_state::ended:
      // A task that has ended without its history saying so is not expected: then at least its last
      // state is told.
      if (!items_.has_ended())
        items_.start_at(now.task, now.sequence, true);
      return readiness::ended;
    case feed_state::lost: // The task as it is, in place of how it came there.
      tells_snapshot_ = true;
      news_->restart();
      return readiness::ready;
    case feed_state::failed:
      if (batch.failure->code == errc::task_not_found)
        return readiness::ended;
      has_failed_ = true;
      return *batch.failure;
  }
  return readiness::ended;
}

void push_delivery::pop() {
  row_.progress.after = items_.front().after;
  row_.progress.events = items_.front().events;
  row_.progress.snapshot_first = false;
  items_.pop();
}

} // namespace troupe::net
