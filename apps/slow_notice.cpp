#include "apps/slow_notice.hpp"

#include "apps/console.hpp"

#include <utility>

namespace troupe {

slow_notice::slow_notice(std::string line)
    : thread_([this, line = std::move(line)] {
        std::unique_lock lock(guard_);
        if (!over_.wait_for(lock, slow_notice_delay, [this] { return is_over_; }))
          complain(line);
      }) {}

slow_notice::~slow_notice() {
  {
    const std::lock_guard lock(guard_);
    is_over_ = true;
  }
  over_.notify_one();
  thread_.join();
}

} // namespace troupe
