// Reads the command line of `troupe` into one of the option values.
#pragma once

#include "apps/options.hpp"
#include "apps/plan/plan_text_command.hpp"
#include "apps/plan/templates_command.hpp"
#include "apps/remote/remote_options.hpp"
#include "apps/session/session_options.hpp"

#include <string>
#include <variant>

namespace troupe {

/// Nothing to run: help was asked for, or the usage is wrong.
struct finished {
  int code = exit_ok;
  std::string out; ///< For standard output.
  std::string err; ///< What is wrong, for standard error; one line.
};

using command =
    std::variant<finished, init_options, run_options, validate_options, graph_options,
                 serve_options, card_command_options, store_tool_options, list_runs_options,
                 show_run_options, run_logs_options, remove_runs_options, agents_options,
                 schema_options, version_options, send_options, tasks_options, task_options,
                 cancel_options, push_add_options, push_list_options, push_remove_options,
                 agent_options, submit_options, watch_options, inbox_options, answer_options,
                 claim_options, modify_options, replan_options, history_options, step_options,
                 context_options, session_options, plan_text_options, remote_agent_options,
                 completion_options, complete_options, manual_options, templates_options>;

[[nodiscard]] command read_command_line(int argc, const char* const* argv);

} // namespace troupe
