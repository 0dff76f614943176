// What a stream adds to the events it shows, beyond what happened: whether it ends with one, and
// where to go on after one.
#pragma once

#include "protocol/cursor.hpp"
#include <troupe/protocol/task_state.hpp>

#include <string_view>

namespace troupe {

/// How a client says that it wants cursors, in `A2A-Extensions` (docs/streams.md): an extension of
/// ours.
inline constexpr std::string_view stream_cursor_uri = "urn:troupe:stream-cursor:v1";
/// The member of an event's (of a snapshot's) metadata with its cursor.
inline constexpr std::string_view stream_cursor_key = "troupe/v1/cursor";
/// The member of a snapshot's metadata that says: what was between the client's cursor and this
/// snapshot is not kept.
inline constexpr std::string_view stream_gap_key = "troupe/v1/gap";

struct stream_mark {
  bool last =
      false; ///< The server ends the stream after this event (`final` in 0.3, docs/a2a.md, D7).
  std::string_view cursor{}; ///< Empty: the client asked for none.
  /// A further member of the event's metadata, and its value as JSON; empty: none.
  std::string_view member{};
  std::string_view value{};
  task_state state = task_state::working; ///< Of the task, where only its progress is shown.
  bool hitl = false;                      ///< As task_view_options::include_hitl.
  bool opt = false;                       ///< As task_view_options::include_opt.
};

} // namespace troupe
