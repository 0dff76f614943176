// What a stream adds to the events it shows, beyond what happened: whether it ends with one, and where to go on after one.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// How a client says that it wants cursors, in `A2A-Extensions` (docs/streams.md): an extension of ours.
inline constexpr std::string_view stream_cursor_uri = "urn:troupe:stream-cursor:v1";
/// The member of an event's (of a snapshot's) metadata with its cursor.
inline constexpr std::string_view stream_cursor_key = "troupe/v1/cursor";
/// The member of a snapshot's metadata that says: what was between the client's cursor and this snapshot is not kept.
inline constexpr std::string_view stream_gap_key = "troupe/v1/gap";

/// A place in the history of a task or objective: right behind event `event` of the change with that sequence (event.hpp).
struct stream_cursor {
  static constexpr std::uint32_t whole = 0xffffffff; ///< Behind all events of the change.

  std::uint64_t sequence = 0;
  std::uint32_t event = whole;

  friend bool operator==(const stream_cursor&, const stream_cursor&) = default;
};

/// `17.2`, or `17` behind the whole change.
[[nodiscard]] inline std::string to_string(const stream_cursor& at) {
  auto text = std::to_string(at.sequence);
  if (at.event != stream_cursor::whole)
    text.append(".").append(std::to_string(at.event));
  return text;
}

/// Nothing if `text` is no cursor.
[[nodiscard]] inline std::optional<stream_cursor> parse_stream_cursor(std::string_view text) noexcept {
  stream_cursor out;
  const char* const end = text.data() + text.size();
  auto [next, ec] = std::from_chars(text.data(), end, out.sequence);
  if (ec != std::errc{})
    return std::nullopt;
  if (next == end)
    return out;
  if (*next != '.')
    return std::nullopt;
  const auto rest = std::from_chars(next + 1, end, out.event);
  if (rest.ec != std::errc{} || rest.ptr != end || out.event == stream_cursor::whole)
    return std::nullopt;
  return out;
}

struct stream_mark {
  bool last = false;       ///< The server ends the stream after this event (`final` in 0.3, docs/a2a.md, D7).
  std::string_view cursor; ///< Empty: the client asked for none.
};

} // namespace troupe
