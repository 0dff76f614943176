// JSON in exactly one spelling, so that two parties can hash or sign a document that they hold as
// values. Plain functions.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <boost/json/value.hpp>

#include <string>

namespace troupe {

/// RFC 8785 (JCS): no blanks, members sorted by the UTF-16 code units of their names, numbers as
/// ECMAScript prints doubles, only those escapes that must be. Error: invalid_params for a number
/// that is not finite as a double, which JSON cannot write.
[[nodiscard]] result<std::string> canonical_json(const boost::json::value& tree);

/// The same tree as Python's `json.dumps(tree, sort_keys=True, separators=(",", ":"))` prints it
/// after every number went through a double: members sorted by code point, `20` as `20.0`,
/// everything beyond ASCII escaped. What one SDK signs cards over (docs/a2a.md, D18).
[[nodiscard]] result<std::string> python_json(const boost::json::value& tree);

} // namespace troupe
