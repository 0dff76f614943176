// Runs as a table for people. Pure.
#pragma once

#include "apps/runs/run_entry.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace troupe {

struct table_options {
  std::size_t width = 80; ///< Columns; no line is wider.
  bool colour = false;
};

/// A line for each run below a line with the headings: id, state, when it began, how long it took,
/// its tasks, its name.
[[nodiscard]] std::string draw_runs(const std::vector<run_entry>& entries, timestamp now,
                                    const table_options& options);

/// The time from `then` to `now`, roughly: `now`, `5m ago`, `3h ago`, `12d ago`.
[[nodiscard]] std::string shown_age(timestamp then, timestamp now);

} // namespace troupe
