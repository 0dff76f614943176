// One line of a session file, written and read (docs/sessions.md). The first line says whose
// session it is; each further line of ours has an event, with a checksum over the line. All other
// lines belong to other programs.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/time.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace troupe::sessions {

/// A longer line counts as damaged. A store writes no longer change (journal::append_bytes_max).
inline constexpr std::size_t line_bytes_max = std::size_t{1} << 30;

/// The id of another program's line is only known if it is not longer, and plain ASCII.
inline constexpr std::size_t line_id_bytes_max = 256;

/// The first line.
struct session_head {
  std::string key; ///< key_of
  timestamp at{};  ///< Of the first event.
  /// The name of the file that this one continues; empty: none.
  std::string parent{};
};

/// Adds the line without its line end.
void write_head(std::string& out, const session_head& head);
/// errc::store_failed: it is damaged, of another version, or not of an objective. The message has
/// no name of a file.
[[nodiscard]] result<session_head> read_head(std::string_view line);

/// A line of ours.
struct event_line {
  std::uint64_t number = 0; ///< Counts the events of the file from 1.
  std::string_view event;   ///< A JSON object.
  std::string_view parent;  ///< The id of the line before; empty: none has one.
  timestamp at{};
};

/// The id of the line of that event: 8 hexadecimal digits.
[[nodiscard]] std::string line_id_of(std::uint64_t number);
/// Adds the line without its line end.
void write_event(std::string& out, const event_line& line);

/// Of another program; also a line with nothing in it.
struct foreign_line {
  std::string id; ///< May be empty. JSON writes it as it is.
};
/// It cannot be relied on.
struct damaged_line {
  std::string problem; ///< For people: `it is not JSON`.
};

/// What `line` is, without its line end. The texts of an event_line are in `line`.
[[nodiscard]] std::variant<event_line, foreign_line, damaged_line> read_line(std::string_view line);

} // namespace troupe::sessions
