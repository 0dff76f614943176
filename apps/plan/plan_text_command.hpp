// `troupe plan`: what the planner reads in a text. Runs nothing.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "planner/text_reading.hpp"
#include "planner/verdict.hpp"

namespace troupe {

/// Flags of `plan`.
struct plan_text_options {
  std::string input; ///< A text, the name of a file, or `-`: standard input.
  bool json = false;
  bool as_text = false;
  bool prefers_objective = false;
  std::string planner;       ///< Empty: templates, then the grammar.
  std::string template_name; ///< Empty: none.
  std::string directory;     ///< Of templates beside those of the program; empty: none.
  std::vector<std::pair<std::string, std::string>> params;
};

[[nodiscard]] int plan_text_command(const plan_text_options& options);

/// What people are shown: tasks, dependencies with their sentences, what was assumed, what was not
/// understood, and the verdict with its reasons.
[[nodiscard]] std::string plan_explanation(const planner::text_reading& reading,
                                           const planner::verdict& made);

} // namespace troupe
