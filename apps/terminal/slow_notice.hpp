// A line on standard error about something that takes long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace troupe {

/// Nothing is said in the first second.
inline constexpr std::chrono::milliseconds slow_notice_delay{1000};

/// Says the line once, `slow_notice_delay` after its start, unless it is destroyed before.
class slow_notice {
public:
  explicit slow_notice(std::string line) : line_(std::move(line)) {}
  ~slow_notice();
  slow_notice(const slow_notice&) = delete;
  slow_notice& operator=(const slow_notice&) = delete;

  /// Once.
  void start();

private:
  const std::string line_;
  std::mutex guard_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread thread_;
};

} // namespace troupe
