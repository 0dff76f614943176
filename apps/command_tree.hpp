// All commands with their flags, and the values that parsing fills in: one tree for reading a
// command line, for completing one, and for the manual page.
#pragma once

#include "apps/options.hpp"
#include "apps/plan/plan_command_line.hpp"
#include "apps/remote/remote_command_line.hpp"
#include "apps/runs/runs_command_line.hpp"
#include "apps/serve/serve_command_line.hpp"
#include "apps/session/session_options.hpp"

#include <CLI/CLI.hpp>

namespace troupe {

struct command_tree {
  command_tree();
  command_tree(const command_tree&) = delete;
  command_tree& operator=(const command_tree&) = delete;

  CLI::App app;
  bool version = false;
  runs_commands runs;
  plan_commands plan;
  serve_commands serve;
  store_tool_options store;
  session_options session;
  remote_commands remote;
  completion_options completion;
};

} // namespace troupe
