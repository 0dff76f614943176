// Percent-decoding (RFC 3986 section 2.1), by Boost.URL.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// `%41` becomes `A`; nothing if a `%` is not followed by two hexadecimal digits.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);
/// The same for a name or value of a query, where `+` is a blank (the HTML form encoding, which
/// clients use).
[[nodiscard]] std::optional<std::string> query_decoded(std::string_view text);

} // namespace troupe
