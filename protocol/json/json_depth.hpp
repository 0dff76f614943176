// How deep a JSON value nests.
#pragma once

#include <boost/json/value.hpp>

#include <cstddef>

namespace troupe {

/// True if arrays and objects nest deeper than `levels` levels; looks no deeper than that.
[[nodiscard]] bool is_deeper_than(const boost::json::value& tree, std::size_t levels);

} // namespace troupe
