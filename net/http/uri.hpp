// The few parts of RFC 3986 that a server needs: percent-decoding, by Boost.URL, and the parts of a
// target and of a query. Both are cut at their marks only, and everything between is taken:
// clients send characters that RFC 3986 has not, and Boost.URL refuses these.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace troupe::net {

/// `%41` becomes `A` (RFC 3986 2.1); nothing if a `%` is not followed by two hexadecimal digits.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);
/// The same for a name or value of a query, where `+` is a blank (the HTML form encoding, which
/// clients use).
[[nodiscard]] std::optional<std::string> query_decoded(std::string_view text);

/// Takes the first `name=value` off `query`, undecoded; nothing at its end. A name without `=` has
/// an empty value.
struct query_pair {
  std::string_view name;
  std::string_view value;
};
[[nodiscard]] std::optional<query_pair> take_pair(std::string_view& query) noexcept;

/// The parts of a request's target (RFC 9112 3.2), as they stand.
struct target_parts {
  std::optional<std::string_view> authority; ///< Of the absolute form only.
  std::string_view path = "/";               ///< `/` if the target has none.
  std::string_view query;                    ///< Behind the `?`.
};
[[nodiscard]] target_parts split_target(std::string_view target) noexcept;

} // namespace troupe::net
