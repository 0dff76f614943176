// Points in time as they appear on the wire. The current time comes from
// troupe/protocol/time_source.hpp.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// UTC, to the millisecond, as A2A writes it.
using timestamp = std::chrono::sys_time<std::chrono::milliseconds>;

/// `YYYY-MM-DDTHH:MM:SS.mmmZ` (24 characters; A2A 1.0 section 5.6.1).
[[nodiscard]] std::string to_rfc3339(timestamp at);
/// The same, appended.
void append_rfc3339(std::string& out, timestamp at);
/// RFC 3339 with any fraction length and any offset; nothing if malformed.
[[nodiscard]] std::optional<timestamp> parse_rfc3339(std::string_view text);

} // namespace troupe
