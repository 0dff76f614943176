#include "net/stream_budget.hpp"

#include <troupe/net/limits.hpp>

#include <algorithm>
#include <numeric>

namespace troupe::net {

std::size_t stream_budget::window(std::size_t streams) const noexcept {
  const auto room = [](std::size_t max, std::size_t held) { return max - std::min(max, held); };
  const auto here = room(bytes_max_, held());
  const auto in_memory = room(memory_->share_of(memory_account::feeds), memory_->held());
  // Half of a fair share: as text, a change is longer than it is counted before.
  const auto bytes = std::min(here, in_memory) / std::max<std::size_t>(streams, 1) / 2;
  return std::clamp<std::size_t>(bytes, 1, stream_window_bytes);
}

bool stream_budget::admits_stream() {
  if (held() < bytes_max_ && memory_->has_room(memory_account::feeds, 1))
    return true;
  static_cast<void>(make_room(0)); // One; it finds room when it comes again.
  return false;
}

stream_budget::share stream_budget::take(std::size_t bytes) {
  if (bytes_->take_whole(bytes))
    return {bytes_, bytes};
  if (!make_room(bytes))
    return {};
  bytes_->force(bytes); // What was cut gives its bytes back soon.
  return {bytes_, bytes};
}

std::string stream_budget::why_no_room(std::size_t bytes) const {
  if (!memory_->has_room(memory_account::feeds, bytes))
    return memory_->refusal(memory_account::feeds, bytes).message;
  return "the data that waits for readers of streams exceeds limits.stream-bytes-total ("
         + std::to_string(bytes_max_) + " bytes)";
}

void stream_budget::stall(stalling_stream& who, std::size_t bytes) {
  const std::lock_guard lock{guard_};
  if (who.is_linked())
    stalled_.erase(stalled_.iterator_to(who));
  who.stalled_bytes = bytes;
  stalled_.push_back(who);
}

void stream_budget::go_on(stalling_stream& who) {
  const std::lock_guard lock{guard_};
  if (who.is_linked())
    stalled_.erase(stalled_.iterator_to(who));
}

bool stream_budget::make_room(std::size_t bytes) {
  const std::lock_guard lock{guard_};
  const auto all =
      std::accumulate(stalled_.begin(), stalled_.end(), std::size_t{0},
                      [](std::size_t sum, const auto& each) { return sum + each.stalled_bytes; });
  std::size_t freed = 0;
  do {
    if (stalled_.empty())
      return false;
    auto& slowest = stalled_.front();
    freed += slowest.stalled_bytes;
    stalled_.pop_front();
    slowest.cut(); // What waits in its feed is gained, too.
  } while (freed < bytes && all >= bytes);
  return all >= bytes;
}

} // namespace troupe::net
