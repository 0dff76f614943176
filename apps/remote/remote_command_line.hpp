// The flags of the commands for servers.
#pragma once

#include "apps/remote/remote_options.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <variant>

namespace troupe {

/// What the commands for servers read; one of them was chosen at the end.
struct remote_commands {
  send_options send;
  tasks_options tasks;
  task_options task;
  cancel_options cancel;
  push_add_options push_add;
  push_list_options push_list;
  push_remove_options push_remove;
  agent_options agent;
  remote_agent_options remote_agent;
  submit_options submit;
  watch_options watch;
  inbox_options inbox;
  answer_options answer;
  claim_options claim;
  modify_options modify;
  replan_options replan;
  history_options history;
  step_options pause{{}, objective_step::pause, {}};
  step_options resume{{}, objective_step::resume, {}};
  step_options retry{{}, objective_step::retry, {}};
  context_options context;
};

using remote_command =
    std::variant<send_options, tasks_options, task_options, cancel_options, push_add_options,
                 push_list_options, push_remove_options, agent_options, submit_options,
                 watch_options, inbox_options, answer_options, claim_options, modify_options,
                 replan_options, history_options, step_options, context_options,
                 remote_agent_options>;

/// Adds the subcommands, which fill `to` in.
void add_remote_commands(CLI::App& app, remote_commands& to);
/// The one that was chosen; nothing if it was none of these.
[[nodiscard]] std::optional<remote_command> chosen_remote(const CLI::App& app,
                                                          const remote_commands& from);

} // namespace troupe
