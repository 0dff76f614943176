// The subcommands: each takes its options and returns the process's exit code. Messages for people
// go to standard error.
#pragma once

#include "apps/options.hpp"

namespace troupe {

[[nodiscard]] int run_command(const run_options& options);
[[nodiscard]] int init_command(const init_options& options);
[[nodiscard]] int validate_command(const validate_options& options);
[[nodiscard]] int graph_command(const graph_options& options);
[[nodiscard]] int serve_command(const serve_options& options);
[[nodiscard]] int card_command(const card_command_options& options);
[[nodiscard]] int store_command(const store_tool_options& options);
[[nodiscard]] int list_runs_command(const list_runs_options& options);
[[nodiscard]] int show_run_command(const show_run_options& options);
[[nodiscard]] int run_logs_command(const run_logs_options& options);
[[nodiscard]] int remove_runs_command(const remove_runs_options& options);
[[nodiscard]] int list_run_questions_command(const inbox_options& options);
[[nodiscard]] int answer_run_command(const answer_options& options);
[[nodiscard]] int claim_run_command(const claim_options& options);
[[nodiscard]] int modify_run_command(const modify_options& options);
[[nodiscard]] int run_history_command(const history_options& options);
[[nodiscard]] int agents_command(const agents_options& options);
[[nodiscard]] int schema_command(const schema_options& options);
[[nodiscard]] int version_command(const version_options& options);
[[nodiscard]] int completion_command(const completion_options& options);
[[nodiscard]] int complete_command(const complete_options& options);
[[nodiscard]] int manual_command(const manual_options& options);

} // namespace troupe
