// Just enough of JSON Schema (draft 2020-12) to hold a document against docs/plan.schema.json. A
// keyword it does not know is a failure of the test, not a pass.
#pragma once

#include <boost/json/value.hpp>

namespace troupe::test {

/// Throws std::runtime_error for a schema that uses something unknown.
[[nodiscard]] bool conforms(const boost::json::value& document, const boost::json::value& schema);

} // namespace troupe::test
