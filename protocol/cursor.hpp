// How far a reader is in a stream of changes (event.hpp: an objective with its tasks, or a lone
// task). Numbers count within their stream: there is no number for a place in several of them.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// A place in the history of a task or objective: right behind event `event` of the change with
/// that sequence (event.hpp).
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
[[nodiscard]] inline std::optional<stream_cursor>
parse_stream_cursor(std::string_view text) noexcept {
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

} // namespace troupe
