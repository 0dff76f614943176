#include "agents/a2a/target_queue.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

std::shared_ptr<target_queue::ticket> target_queue::enter(std::function<void()> go) {
  // Those that were dropped leave their places when they are reached; a target may stall for days.
  if (waiting_.size() >= swept_at_) {
    std::erase_if(waiting_, [](const auto& each) { return each.expired(); });
    swept_at_ = std::max(sweep_min, 2 * waiting_.size());
  }
  auto out = std::make_shared<ticket>(ticket{std::move(go)});
  waiting_.push_back(out);
  loop_.post([self = shared_from_this()] { self->let_in(); });
  return out;
}

void target_queue::leave() {
  gate_.end();
  --all_->count;
  if (!waiting_.empty() && all_->waiting.empty())
    loop_.post([self = shared_from_this()] { self->let_in(); });
  else if (!waiting_.empty())
    wait_for_all(); // others came before
  wake_next();
}

void target_queue::wake_next() {
  while (all_->count < all_->max && !all_->waiting.empty()) {
    const auto next = all_->waiting.front().lock();
    all_->waiting.pop_front();
    if (next == nullptr)
      continue;
    next->waits_for_all_ = false;
    return loop_.post([next] {
      next->let_in();
      next->wake_next(); // it may have left the place
    });
  }
}

void target_queue::let_in() {
  while (!waiting_.empty()) {
    const auto next = waiting_.front().lock();
    if (next == nullptr) {
      waiting_.pop_front();
      continue;
    }
    const auto now = loop_.now();
    const auto at = gate_.next_begin(now);
    if (!at)
      return; // `leave` asks again
    if (all_->count >= all_->max)
      return wait_for_all();
    if (*at > now) {
      timer_ = loop_.after(*at - now, [this] { let_in(); });
      return;
    }
    waiting_.pop_front();
    gate_.begin(now);
    ++all_->count;
    const auto go = std::exchange(next->go, {});
    go();
  }
}

} // namespace troupe
