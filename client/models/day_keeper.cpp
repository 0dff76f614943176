#include "client/models/day_keeper.hpp"

#include <utility>

namespace troupe::models {

day_keeper::~day_keeper() {
  {
    const std::lock_guard guard(mutex_);
    is_ending_ = true;
  }
  wanted_.notify_one();
  if (thread_.joinable())
    thread_.join();
  turn();
}

void day_keeper::start() {
  thread_ = std::thread([this] { run(); });
}

bool day_keeper::turn() {
  std::vector<kept_handler> all;
  {
    const std::lock_guard guard(mutex_);
    all = std::exchange(waiting_, {});
  }
  if (all.empty())
    return false;
  const auto how = write_day_file(file_, now_());
  for (const auto& each : all)
    each(how);
  return true;
}

void day_keeper::keep(kept_handler done) {
  {
    const std::lock_guard guard(mutex_);
    waiting_.push_back(std::move(done));
  }
  wanted_.notify_one();
}

void day_keeper::run() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      wanted_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
      if (waiting_.empty())
        return;
    }
    turn();
  }
}

} // namespace troupe::models
