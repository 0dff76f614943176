// Draws a run as lines of text for a screen of a given size: a header with the overall bar, below
// it the tree of plans and tasks. The time, the size, colours and the character set are arguments,
// so the same model always gives the same lines.
#pragma once

#include "apps/run/run_model.hpp"
#include <troupe/protocol/time.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace troupe {

struct view_options {
  std::size_t width = 80;  ///< Columns; no line is wider.
  std::size_t height = 24; ///< Lines at most.
  bool colour = false;
  bool unicode = true; ///< False: ASCII only.
};

/// The screen of a run at `now`.
[[nodiscard]] std::vector<std::string> draw_tree(const run_model& model,
                                                 const view_options& options, timestamp now);

/// A bar of `columns` filled to `fraction` (clamped to 0..1).
[[nodiscard]] std::string draw_bar(double fraction, std::size_t columns, bool unicode);

/// "3 running, 12 waiting, 20 done, 1 failed"; what is zero is left out, except that "0 done"
/// stands if nothing else does. `is_left`: nothing runs it, so that "interrupted" stands in place
/// of "running".
[[nodiscard]] std::string describe(const state_counts& counts, bool is_left = false);

} // namespace troupe
