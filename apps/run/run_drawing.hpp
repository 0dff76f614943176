// A run on paper: its tree, its results, why tasks failed, and the summary. What `show` prints of a
// run of this computer and of an objective of a server.
#pragma once

#include "apps/options.hpp"
#include "apps/run/run_ending.hpp"
#include "apps/run/run_timing.hpp"
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/time.hpp>

#include <optional>
#include <string>
#include <vector>

namespace troupe {

struct drawing_options {
  std::optional<output_choice> output; ///< As show_run_options.
  bool colour = false;
  std::string left{}; ///< The state of a run that nothing runs (run_model::leave); may be empty.
  std::string show_command{}; ///< As run_ending; empty: by the id of the objective.
  std::vector<stopped_time> stopped{};
};

struct drawn_run {
  std::string text;
  std::vector<unread_task> unread; ///< Tasks whose results are missing.
};

/// `end`: when it ended, or now. As wide as the terminal.
[[nodiscard]] drawn_run draw_ended(const objective_view& view, const record_reader& records,
                                   timestamp end, const drawing_options& options);

} // namespace troupe
