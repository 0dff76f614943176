// What a gateway looks at now and then: whether the store can write and keeps up, what has been
// settled for long, what has waited too long. A step machine: `turn` does what is due; a thin
// thread takes turns, or the clock of a test does.
#pragma once

#include "actors/environment.hpp"
#include <troupe/protocol/memory_budget.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace troupe {

class housekeeper {
public:
  explicit housekeeper(environment& env) : env_(env) {}

  /// Looks at the store and at the memory, sends the messages whose deadline has passed; every
  /// `turns_between_evictions` also lets settled objectives leave memory.
  void turn();
  /// The same, and the latter at once.
  void turn_fully();

  // As of the last turn; any thread.
  /// Why the backlog of the store is too long for new work, with the name of the limit; null if it
  /// is not.
  [[nodiscard]] const char* backlog_problem() const noexcept { return backlog_problem_; }
  /// The same for any command: above full_backlog_times the limits.
  [[nodiscard]] const char* full_backlog_problem() const noexcept { return full_backlog_problem_; }
  [[nodiscard]] bool can_write() const noexcept { return can_write_; }

private:
  /// Says, once a minute at most, that requests were forgotten before their time.
  void warn_of_forgotten(std::uint64_t since_start, timestamp now);

  environment& env_;
  int turns_ = 0;
  std::uint64_t forgotten_before_ = 0; ///< Up to the last warning.
  timestamp next_warning_at_{};
  memory_watch watch_;
  std::atomic<const char*> backlog_problem_{nullptr};
  std::atomic<const char*> full_backlog_problem_{nullptr};
  std::atomic<bool> can_write_{true};
};

/// Calls a function again and again on a thread of its own.
class ticker {
public:
  ticker() = default;
  ~ticker() { stop(); }
  ticker(const ticker&) = delete;
  ticker& operator=(const ticker&) = delete;

  void start(std::chrono::milliseconds interval, std::function<void()> tick);
  /// Waits for a tick that is under way. Without effect if it was not started.
  void stop();

private:
  std::mutex lock_;
  std::condition_variable stops_;
  bool stopped_ = false;
  std::thread thread_;
};

} // namespace troupe
