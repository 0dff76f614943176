// A line on a terminal that says how far something is which takes long. It is gone at the end.
#pragma once

#include "apps/terminal/terminal.hpp"
#include <troupe/protocol/time_source.hpp>

#include <chrono>
#include <string_view>

namespace troupe {

/// Nothing is shown in the first second.
inline constexpr std::chrono::milliseconds progress_delay{1000};
/// Between two texts.
inline constexpr std::chrono::milliseconds progress_interval{100};

class progress_line {
public:
  /// Of standard error, if that is a terminal that can draw. `to` and `time` outlive it.
  explicit progress_line(output& to, const time_source& time = system_time());
  progress_line(output& to, bool is_terminal, const time_source& time);
  ~progress_line() { clear(); }
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  /// Replaces the line, unless it is too early.
  void show(std::string_view text);
  /// Before something else is printed.
  void clear();

private:
  output& to_;
  const bool is_terminal_;
  const time_source& time_;
  time_source::steady_point next_;
  bool is_shown_ = false;
};

} // namespace troupe
