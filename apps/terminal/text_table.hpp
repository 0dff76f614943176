// Rows of text in columns, as `ls` and its like print them.
#pragma once

#include "apps/terminal/text.hpp"
#include <troupe/protocol/time.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace troupe {

struct text_table {
  std::vector<std::string> heads;
  /// As many cells in each as there are heads; cleaned here.
  std::vector<std::vector<span>> rows;
};

/// With a line of heads. Every column is as wide as its widest cell, but the last one, which takes
/// what is left; a line is cut at `width` columns.
[[nodiscard]] std::string draw_table(const text_table& table, std::size_t width, bool colour);

/// The time from `then` to `now`, roughly: `now`, `5m ago`, `3h ago`, `12d ago`.
[[nodiscard]] std::string shown_age(timestamp then, timestamp now);
/// `14:05:03`: in the time zone of this computer.
[[nodiscard]] std::string local_time(timestamp at);

} // namespace troupe
