// Chooses which plans and tasks of a run are shown when the screen has only so many lines, and
// which are folded into a count. A pure function of the model; tree_view draws what it returns.
#pragma once

#include "apps/run/run_model.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace troupe {

/// One line of the tree below the header.
struct tree_line {
  enum class row_kind : std::uint8_t {
    plan,         ///< `plan`
    task,         ///< `plan`, `task`
    tracker,      ///< `plan`, `task`, `tracker`
    folded_tasks, ///< `hidden` of `plan`
    folded_plans, ///< `hidden` counts plans; the blocked ones as working.
  };
  row_kind kind = row_kind::plan;
  std::uint32_t plan = 0;
  std::uint32_t task = 0;
  std::uint32_t tracker = 0;
  state_counts hidden;
};

/// At most `lines_max` lines. Everything in document order if it fits. Otherwise ended and pending
/// plans shrink to their line, of the others' tasks those are kept that wait for an answer, run,
/// failed or come next (in this order), then plans are folded too.
[[nodiscard]] std::vector<tree_line> lay_out(const run_model& model, std::size_t lines_max);

} // namespace troupe
