// The part of JSON Schema in which the form of a question is written, and the check of an answer.
// The subset: `type` (object only at the top, string, number, integer, boolean, array of these),
// `properties`, `required`, `additionalProperties` (a boolean), `enum`, `enumNames` (a
// title for each value of `enum`), `const`, `oneOf` and `anyOf` of {const, title}, `minimum`,
// `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`, `minLength`, `maxLength`
// (characters), `format` (email, uri, date, date-time), `items`, `minItems`, `maxItems`,
// `uniqueItems`, `title`, `description`, `default`, `$schema`. The forms of MCP's elicitation are
// of it. Plain functions. Neither recurses deeper than the subset nests, and both are linear in
// the size of what they check, but for the sorting of unique items.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace troupe {

/// What is wrong, and where.
struct schema_fault {
  std::string pointer; ///< JSON pointer (RFC 6901) into the schema, or into the value.
  std::string message; ///< In words: `must be at most 3, found 4`.
};

inline constexpr std::size_t schema_bytes_max = std::size_t{16} << 10; ///< As written.
inline constexpr std::size_t schema_properties_max = 100;

/// Why `schema` is not of the subset; nothing if it is.
[[nodiscard]] std::optional<schema_fault> check_schema(const boost::json::object& schema);

/// The first place where `value` does not fit; nothing if it fits. `schema` is of the subset.
[[nodiscard]] std::optional<schema_fault> find_misfit(const boost::json::value& value,
                                                      const boost::json::object& schema);

} // namespace troupe
