// Whether JSON has a shape. A shape has at least the members it names. "<string>" (not empty),
// "<time>", "<number>", "<object>", "<array>", "<none>" (absent) and "<a|b>" (one of these) stand
// for values.
#pragma once

#include <boost/json/value.hpp>

#include <string>

namespace troupe::testing {

/// Where `value` does not have the shape; empty if it has. `where` is put before the place.
[[nodiscard]] std::string misfit(const boost::json::value& value, const boost::json::value& shape,
                                 const std::string& where = "");

} // namespace troupe::testing
