// The flags of `troupe run` and of the commands for earlier runs.
#pragma once

#include "apps/options.hpp"

namespace CLI {
class App;
}

namespace troupe {

/// What these commands read; one of them was chosen at the end.
struct runs_commands {
  run_options run;
  list_runs_options list;
  show_run_options show;
  run_logs_options logs;
  remove_runs_options remove;
};

/// `to` outlives the parsing.
void add_runs_commands(CLI::App& app, runs_commands& to);

} // namespace troupe
