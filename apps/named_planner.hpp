// `troupe plan --planner NAME`: who reads the text.
#pragma once

#include <troupe/actors/text_planner.hpp>
#include <troupe/protocol/errc.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "planner/verdict.hpp"

namespace troupe {

/// A model of a configuration file, as a planner.
struct named_model {
  std::string name;
  text_planner_ptr planner;
  std::vector<std::string> agents;  ///< That its tasks may name (planner.agents).
  std::chrono::milliseconds budget; ///< planner.model-seconds.
};

struct named_planner {
  bool templates = false;
  bool grammar = false;
  std::optional<named_model> model{};
};

/// `templates`, `grammar`, or a model of the person's configuration file (own_config_path); empty:
/// the first two, as a server without a model. Errors: invalid_params, with the names that are
/// known; those of reading the file.
[[nodiscard]] result<named_planner> planner_named(const std::string& name);

/// Asks the model, and waits. The verdict becomes what it says.
void ask_model(const named_model& model, const planner::planning_request& request,
               planner::verdict& made);

} // namespace troupe
