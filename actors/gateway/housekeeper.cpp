#include "actors/gateway/housekeeper.hpp"

#include <troupe/actors/limits.hpp>

#include <string>
#include <utility>

namespace troupe {

namespace {

constexpr int turns_between_evictions = 20;
constexpr std::chrono::minutes forgotten_interval{1};

/// Why the backlog is longer than so many times its limits; null if it is not.
const char* problem_of_backlog(const store_status& status, const executor_options& options,
                               std::size_t times) {
  if (status.backlog_changes / times > options.backlog_changes_max)
    return "too many changes wait for the disk (limits.backlog-changes)";
  if (status.backlog_bytes / times > options.backlog_bytes_max)
    return "too many bytes wait for the disk (limits.backlog-bytes)";
  return nullptr;
}

} // namespace

void housekeeper::turn() {
  // Too dear to ask for each request.
  const auto status = env_.records.status();
  backlog_problem_ = problem_of_backlog(status, env_.options, 1);
  full_backlog_problem_ = problem_of_backlog(status, env_.options, full_backlog_times);
  can_write_ = status.writable;
  if (const auto line = watch_.look(env_.memory); !line.empty() && env_.options.warn)
    env_.options.warn(line);
  const auto now = env_.now();
  warn_of_forgotten(status.forgotten_early, now);
  env_.deadlines.turn(now);
  env_.objectives.expire(now);
  env_.lone_tasks.expire(now);
  if (++turns_ % turns_between_evictions == 0)
    env_.records.evict(now - env_.options.settled_linger);
  env_.records.forget_expired(now);
}

void housekeeper::warn_of_forgotten(std::uint64_t since_start, timestamp now) {
  if (since_start == forgotten_before_ || now < next_warning_at_ || !env_.options.warn)
    return;
  next_warning_at_ = now + forgotten_interval;
  env_.options.warn("remembered requests (idempotency keys, messages, request ids) were forgotten "
                    "before their time, to make room: "
                    + std::to_string(since_start - forgotten_before_)
                    + "; one that is sent again is carried out again");
  forgotten_before_ = since_start;
}

void housekeeper::turn_fully() {
  turns_ = turns_between_evictions - 1;
  turn();
}

void ticker::start(std::chrono::milliseconds interval, std::function<void()> tick) {
  thread_ = std::thread([this, interval, tick = std::move(tick)] {
    std::unique_lock guard(lock_);
    while (!stops_.wait_for(guard, interval, [this] { return stopped_; })) {
      guard.unlock();
      tick();
      guard.lock();
    }
  });
}

void ticker::stop() {
  {
    const std::lock_guard guard(lock_);
    stopped_ = true;
  }
  stops_.notify_all();
  if (thread_.joinable())
    thread_.join();
}

} // namespace troupe
