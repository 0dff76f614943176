#include "apps/terminal/slow_notice.hpp"

#include "apps/terminal/console.hpp"

namespace troupe {

void slow_notice::start() {
  thread_ = std::thread([this] {
    std::unique_lock lock(guard_);
    if (!over_.wait_for(lock, slow_notice_delay, [this] { return is_over_; }))
      complain(line_);
  });
}

slow_notice::~slow_notice() {
  {
    const std::lock_guard lock(guard_);
    is_over_ = true;
  }
  over_.notify_one();
  if (thread_.joinable())
    thread_.join();
}

} // namespace troupe
