// The flags of the commands for plan files that run nothing.
#pragma once

#include "apps/options.hpp"
#include "apps/plan/plan_text_command.hpp"
#include "apps/plan/templates_command.hpp"

namespace CLI {
class App;
}

namespace troupe {

/// What these commands read; one of them was chosen at the end.
struct plan_commands {
  init_options init;
  plan_text_options plan;
  templates_options templates;
  validate_options validate;
  graph_options graph;
};

/// `to` outlives the parsing.
void add_plan_commands(CLI::App& app, plan_commands& to);

} // namespace troupe
