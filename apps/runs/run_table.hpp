// Runs as a table for people. Pure.
#pragma once

#include "apps/runs/run_entry.hpp"
#include "apps/terminal/text_table.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace troupe {

struct table_options {
  std::size_t width = 80; ///< Columns; no line is wider.
  bool colour = false;
  bool is_wide = false; ///< With its file and its directory.
};

/// A line for each run below a line with the headings: id, state, when it began, how long it took,
/// its tasks, its name.
[[nodiscard]] std::string draw_runs(const std::vector<run_entry>& entries, timestamp now,
                                    const table_options& options);

} // namespace troupe
