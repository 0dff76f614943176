// JSON values as text for people and programs, with numbers as they are usually written: `3.11`,
// where Boost.JSON has `3.11E0`.
#pragma once

#include <boost/json/value.hpp>

#include <string>

namespace troupe {

[[nodiscard]] std::string json_text(const boost::json::value& value);

/// A string as it stands, without quotes; any other value as JSON.
[[nodiscard]] std::string text_of_value(const boost::json::value& value);

} // namespace troupe
