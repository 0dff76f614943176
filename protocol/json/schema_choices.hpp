// What a schema leaves to choose: in the words of JSON Schema (`oneOf`, `anyOf` of {const, title},
// `enum`), and of MCP's forms (`enumNames` beside `enum`). The schema may be one that nobody has
// checked; what is not understood is left out.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string_view>
#include <vector>

namespace troupe {

/// Refers to the schema.
struct schema_choice {
  const boost::json::value* value;
  std::string_view title; ///< Empty: none.
};

/// The choices of one value, in the order of the schema; empty if it leaves none.
[[nodiscard]] std::vector<schema_choice> choices_in(const boost::json::object& schema);

/// The schema of the items, if `schema` is of an array; else null.
[[nodiscard]] const boost::json::object* items_in(const boost::json::object& schema);

} // namespace troupe
