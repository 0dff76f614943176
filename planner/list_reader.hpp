// A list of steps with sentences about their order.
#pragma once

#include <vector>

#include "planner/list_lines.hpp"
#include "planner/text_reading.hpp"

namespace troupe::planner {

/// `lines` has an item.
[[nodiscard]] text_reading read_list(const std::vector<text_line>& lines);

} // namespace troupe::planner
