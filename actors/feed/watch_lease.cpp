#include "actors/feed/watch_lease.hpp"

namespace troupe {

void watch_lease::on(const std::string& task_or_objective) {
  const std::lock_guard lock{guard_};
  watched_ = task_or_objective;
  if (ended_)
    records_.unwatch(watched_, watcher_);
}

void watch_lease::end() {
  const std::lock_guard lock{guard_};
  ended_ = true;
  if (!watched_.empty())
    records_.unwatch(watched_, watcher_);
}

} // namespace troupe
