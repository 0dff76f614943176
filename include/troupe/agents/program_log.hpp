// The output of programs, line by line: an embedding program may keep or show it.
#pragma once

#include <troupe/actors/agent.hpp>
#include <troupe/protocol/time.hpp>

#include <cstddef>
#include <string>

namespace troupe {

/// The most of one line, in bytes; a longer one is broken.
inline constexpr std::size_t program_line_bytes_max = 4096;

/// A line that a program has written.
struct program_line {
  timestamp at{};         ///< When its end was read.
  bool is_stderr = false; ///< Else it is of stdout.
  /// Without its newline, fit for a message: UTF-8, no control characters but tabs. Of a line that
  /// was written over (with carriage returns), what it showed last.
  std::string text;

  friend bool operator==(const program_line&, const program_line&) = default;
};

/// Hears of every line of every program. Called on the one thread that reads them; must return
/// soon, must not throw.
class program_log {
public:
  virtual ~program_log() = default;
  virtual void on_line(const order& of, const program_line& line) = 0;
  /// The program of this attempt has ended; no line of it follows.
  virtual void on_end(const order& of) = 0;
};

} // namespace troupe
