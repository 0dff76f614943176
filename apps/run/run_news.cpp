#include "apps/run/run_news.hpp"

#include <utility>

namespace troupe {

namespace {

/// What may wait for a screen; the rest is read from the record. A store without one keeps only the
/// latest, so that waits here.
constexpr live_queue::bounds waiting_max{1'000'000, std::size_t{256} << 20};
/// Of changes, between two looks at the keyboard.
constexpr std::size_t window_bytes = std::size_t{1} << 20;

} // namespace

run_news::run_news(std::shared_ptr<inbox> to, bool is_folded, feed_budget_ptr budget) {
  auto wake = [to = std::move(to)] { to->wake(); };
  if (is_folded) {
    folded_ = std::make_shared<folded_feed>(folded_frames_per_second, std::move(budget));
    folded_->connect(std::move(wake));
  } else {
    each_ = std::make_shared<feed>(waiting_max, std::move(budget));
    each_->connect(std::move(wake));
  }
}

std::shared_ptr<any_feed> run_news::feed_to_begin() const {
  if (folded_)
    return folded_;
  return each_;
}

void run_news::begin() {
  has_begun_ = true;
  if (each_ && each_->snapshot().objective) // Shown already.
    each_->go_on_after({each_->snapshot().sequence, stream_cursor::whole});
}

result<run_news::batch> run_news::take(time_point now) {
  batch out;
  if (!has_begun_)
    return out;
  if (folded_) {
    if (const auto frame = folded_->turn(now))
      out.changes = frame->changes;
    return out;
  }
  auto news = each_->take(window_bytes);
  if (news.state == feed_state::failed)
    return *news.failure;
  if (news.snapshot)
    out.anew = each_->snapshot().objective;
  for (auto& each : news.frames)
    out.changes.push_back(std::move(each.news));
  if (news.state == feed_state::lost)
    each_->restart();
  out.more = news.state == feed_state::more || news.state == feed_state::lost;
  return out;
}

} // namespace troupe
