// The parts of a request's target and of its query. Both are cut at their marks only, and
// everything between is taken: clients send characters that RFC 3986 has not, and Boost.URL refuses
// these.
#pragma once

#include <optional>
#include <string_view>

namespace troupe::net {

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
