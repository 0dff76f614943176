#include "apps/run/run_news.hpp"

#include "actors/feed/store_source.hpp"
#include <troupe/store/await.hpp>

#include <utility>

namespace troupe {

namespace {

/// What may wait for a screen; the rest is read from the record. A store without one keeps only the
/// latest, so that waits here.
constexpr live_queue::bounds waiting_max{1'000'000, std::size_t{256} << 20};
/// Of changes, between two looks at the keyboard.
constexpr std::size_t window_bytes = std::size_t{1} << 20;

} // namespace

run_news::run_news(store& records, std::shared_ptr<inbox> to, bool is_folded) : records_(records) {
  auto wake = [to = std::move(to)] { to->wake(); };
  if (is_folded) {
    folded_ = std::make_shared<folded_feed>();
    folded_->connect(std::move(wake));
  } else {
    each_ = std::make_unique<feed>(waiting_max, std::make_shared<feed_budget>());
    each_->connect(std::move(wake));
  }
}

run_news::~run_news() {
  if (folded_) {
    folded_->connect(nullptr);
    records_.unwatch(watched_.str(), folded_);
  }
}

watcher_ptr run_news::live() const {
  return folded_ ? watcher_ptr{folded_} : each_->live();
}

void run_news::follow(const objective_id& id) {
  if (folded_)
    watched_ = id;
  else
    each_->follow(make_objective_source(records_, id));
}

objective_ptr run_news::open(const objective_id& id) {
  if (folded_) {
    watched_ = id;
    const auto now = await_read<objective_snapshot>(
        [&](auto done) { records_.snapshot_objective(id, folded_, std::move(done)); });
    return now ? now->view : nullptr;
  }
  each_->open(make_objective_source(records_, id));
  auto out = each_->snapshot().objective;
  each_->go_on_after({each_->snapshot().sequence, stream_cursor::whole}); // Shown already.
  return out;
}

result<run_news::batch> run_news::take(time_point now) {
  batch out;
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
