// Percent-encoding (RFC 3986 section 2.1). Boost.URL decodes.
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

/// Each byte but ASCII letters, digits and those of `plain` becomes a `%` and two digits.
[[nodiscard]] std::string percent_encoded(std::string_view text, std::string_view plain);
/// What stands in a path or a query for any text: only unreserved characters stay (RFC 3986
/// section 2.3).
[[nodiscard]] std::string percent_encoded(std::string_view text);
/// A name or value of a form: `application/x-www-form-urlencoded` (WHATWG URL section 5.2).
[[nodiscard]] std::string form_encoded(std::string_view text);

} // namespace troupe
