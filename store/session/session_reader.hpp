// Reads a session file: its changes, in order, and what they lead to. What was cut off at the end
// of the file is left out and said. Damage with good lines behind it is an error, because what
// follows depends on what is missing. Lines of other programs are skipped.
#pragma once

#include "store/session/session_line.hpp"
#include "store/session/session_state.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/event.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::sessions {

/// The end of a file, left out.
struct cut_end {
  std::uint64_t line = 0;  ///< The first one that is left out.
  std::uint64_t bytes = 0; ///< How many.
  std::string problem;     ///< For people: `its checksum does not fit`.
};

/// A line that is whole and says what cannot be (session_faults.hpp).
struct content_fault {
  std::uint64_t line = 0;
  std::string problem;
};
/// Of a file as many are named.
inline constexpr std::size_t content_faults_max = 100;

struct session_reading {
  session_head head;
  session_state state;
  std::uint64_t lines = 0;   ///< Whole ones.
  std::uint64_t events = 0;  ///< Lines of ours but the first.
  std::uint64_t foreign = 0; ///< Lines of other programs.
  std::string last_id;       ///< Of the last line that has one.
  std::uint64_t bytes = 0;   ///< Of the whole lines.
  bool has_line_end = true;  ///< The last whole line ends as lines do.
  bool is_archived = false;  ///< Nothing of ours may follow.
  std::optional<cut_end> cut;
  std::vector<content_fault> faults; ///< The first content_faults_max.
};

/// Called with each change, in order. May be null.
using session_change_fn = std::function<void(change&&)>;

/// Errors: store_failed (the message has the number of the line, and no name of a file).
[[nodiscard]] result<session_reading> read_session(std::string_view bytes,
                                                   const session_change_fn& on_change = nullptr);
/// The same of a file. Errors also: store_unreadable (it cannot be read; the message says why).
[[nodiscard]] result<session_reading>
read_session_file(const std::string& path, const session_change_fn& on_change = nullptr);

/// A line without its end, its bytes with it, and whether it has one. False: nothing more is
/// wanted.
using line_fn = std::function<bool(std::string_view line, std::uint64_t bytes, bool has_end)>;
/// Reads a file of lines. Of a line over line_bytes_max the end is left out. Errors:
/// store_unreadable (the message says why).
[[nodiscard]] result<void> for_each_line(const std::string& path, const line_fn& take);

// -- what the lines of ours say -------------------------------------------------------------------
// Each adds a JSON object.

/// A line of docs/events.md.
void write_change_event(std::string& out, const change& news);
/// `{"objective", "snapshot": …}`
void write_snapshot_event(std::string& out, const session_state& state);
/// `{"objective", "archived": <state>}`
void write_archived_event(std::string& out, const session_state& state);

} // namespace troupe::sessions
