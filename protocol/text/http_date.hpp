// Dates in HTTP headers (RFC 9110 5.6.7). Plain functions.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// `Sun, 06 Nov 1994 08:49:37 GMT`, appended.
void append_http_date(std::string& out, std::chrono::sys_seconds at);

/// All three forms that a recipient has to take; nothing if it is none of them. The day's name is
/// not checked, and a leap second counts as the second before.
[[nodiscard]] std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text);

} // namespace troupe
