// The only source of the current time in this program. Every part that needs the time is given one,
// so that a test, or a simulation of the whole server, controls the time.
#pragma once

#include <troupe/protocol/time.hpp>

#include <chrono>

namespace troupe {

/// Both clocks of a machine. Thread-safe, unless an implementation says otherwise.
class time_source {
public:
  using steady_point = std::chrono::steady_clock::time_point;

  time_source() = default;
  time_source(const time_source&) = delete;
  time_source& operator=(const time_source&) = delete;
  virtual ~time_source() = default;

  /// The time of day, UTC, for the times in records. It may be set back.
  [[nodiscard]] virtual timestamp now() const = 0;
  /// Only goes forward: for deadlines and intervals within this process.
  [[nodiscard]] virtual steady_point steady() const = 0;
};

/// The operating system's clocks.
[[nodiscard]] const time_source& system_time();

} // namespace troupe
