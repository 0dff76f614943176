// The commands for servers: each takes its options and returns the process's exit code
// (docs/cli.md). Messages for people go to standard error.
#pragma once

#include "apps/options.hpp"
#include "apps/plan/templates_command.hpp"
#include "apps/remote/remote_options.hpp"
#include "apps/remote/targets.hpp"

namespace troupe {

// With any A2A agent.
[[nodiscard]] int send_command(const send_options& options);
[[nodiscard]] int tasks_command(const tasks_options& options);
[[nodiscard]] int task_command(const task_options& options);
[[nodiscard]] int cancel_command(const cancel_options& options);
[[nodiscard]] int push_add_command(const push_add_options& options);
[[nodiscard]] int push_list_command(const push_list_options& options);
[[nodiscard]] int push_remove_command(const push_remove_options& options);
[[nodiscard]] int agent_command(const agent_options& options);
[[nodiscard]] int remote_agent_command(const remote_agent_options& options);

// With a server that has objectives.
[[nodiscard]] int submit_command(const submit_options& options);
[[nodiscard]] int watch_command(const watch_options& options);
[[nodiscard]] int replan_command(const replan_options& options);
[[nodiscard]] int step_command(const step_options& options);
/// `ls`, `show` and `logs`, of a server in place of this computer.
[[nodiscard]] int list_objectives_command(const list_runs_options& options, chosen_server server);
/// `rm`: refuses; a server keeps its objectives, and @last would be another one than that of `ls`.
[[nodiscard]] int remove_objectives_command(const remove_runs_options& options,
                                            chosen_server server);
[[nodiscard]] int inbox_command(const inbox_options& options, chosen_server server);
[[nodiscard]] int history_command(const history_options& options, chosen_server server);
[[nodiscard]] int answer_command(const answer_options& options, chosen_server server);
[[nodiscard]] int claim_command(const claim_options& options, chosen_server server);
[[nodiscard]] int modify_command(const modify_options& options, chosen_server server);
[[nodiscard]] int show_objective_command(const show_run_options& options, chosen_server server);
[[nodiscard]] int objective_logs_command(const run_logs_options& options, chosen_server server);

/// `graph --run`, of a server in place of this computer.
[[nodiscard]] int graph_objective_command(const graph_options& options, chosen_server server);

/// `templates ls`, of a server's card.
[[nodiscard]] int server_templates_command(const templates_options& options);

[[nodiscard]] int context_command(const context_options& options);

} // namespace troupe
