// What each subcommand was asked to do, as plain values. The command line makes them; the commands
// carry them out.
#pragma once

#include "apps/terminal/text.hpp"
#include "protocol/a2a/codec_agent_card.hpp"
#include <troupe/protocol/command.hpp>
#include <troupe/protocol/memory_budget.hpp>
#include <troupe/store/store.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// Exit codes of every subcommand (docs/cli.md).
enum exit_code : int {
  exit_ok = 0,          ///< Completed; valid.
  exit_failed = 1,      ///< The run failed; the server could not start.
  exit_usage = 2,       ///< Wrong usage or an invalid file: nothing was run.
  exit_needs_input = 3, ///< A question came up and no person is there to ask.
  exit_canceled = 130   ///< Canceled: 128 + SIGINT, as shells report it.
};

enum class store_kind : std::uint8_t { memory, rocksdb, session_jsonl };

/// Where the records go.
struct store_choice {
  store_kind kind = store_kind::rocksdb;
  troupe::durability durability = durability::sync;
  std::string directory;      ///< Empty: the subcommand's default.
  memory_budget_ptr memory{}; ///< What the process may hold. Null: no limit.
  std::string sessions{};     ///< Where session files are kept beside it; empty: nowhere.
};

/// What a run prints of its tasks at its end.
enum class output_choice : std::uint8_t {
  results, ///< What the tasks made on which no other depends, and what failed programs wrote last.
  all,     ///< What every task made, and what failed programs wrote last.
  failed,  ///< What failed programs wrote last.
  none,    ///< Nothing but why tasks failed.
};

/// What a run does: something new, or more of a run that is there.
enum class run_purpose : std::uint8_t {
  begin,
  resume, ///< Goes on with an unfinished run.
  retry,  ///< Does again what failed or was canceled in a run that has ended.
};

/// Files for the times of tasks; empty: none.
struct timing_files {
  std::string trace;    ///< In the Chrome trace format.
  std::string timeline; ///< As SVG, or as a page with it.

  [[nodiscard]] bool any() const { return !trace.empty() || !timeline.empty(); }
};

struct run_options {
  /// `-`: standard input. With `resume` and `retry` also the name of a run, or empty.
  std::string file;
  bool json = false;
  bool quiet = false;
  bool no_input = false;
  run_purpose purpose = run_purpose::begin;
  std::string keep; ///< Which old runs stay (read_keep_rule); empty: all.
  double time_scale = 1.0;
  std::uint32_t parallel_max = 0; ///< 0: as the file or the record says.
  std::uint32_t commands_max = 0; ///< Programs at once; 0: one for each core.
  store_choice store;
  std::string agent; ///< Of tasks that name none; empty: the registry's default.
  std::vector<std::pair<std::string, std::string>>
      answers; ///< Key or name of a task, and what to answer; each is used once.
  colour_choice colour = colour_choice::automatic;
  std::optional<output_choice> output; ///< `results`, with `quiet` `failed`, if missing.
  std::string output_directory;        ///< Where results are written as files; empty: nowhere.
  /// Values of the plan's parameters by name.
  std::vector<std::pair<std::string, std::string>> params;
  std::vector<std::string> only; ///< Tasks by id or name; empty: all.
  bool dry_run = false;          ///< Says what would begin when; runs nothing.
  timing_files timing;
  /// The answer to one question, beside `answers`; `answer` sets it.
  std::optional<answer_input> given{};
};

struct validate_options {
  std::vector<std::string> files;
  std::vector<std::pair<std::string, std::string>> params; ///< As in run_options.
  bool json = false;
};

enum class graph_format : std::uint8_t { text, dot, svg, mermaid };

struct graph_options {
  std::string file;   ///< Empty: the plan of `run`.
  std::string run;    ///< A run by name, whose times are shown; empty: none.
  std::string server; ///< As in list_runs_options; without `run` it may not be given.
  std::vector<std::pair<std::string, std::string>> params; ///< As in run_options.
  graph_format format = graph_format::text;
};

/// Flags of `serve` as typed: the name of a setting (apps/settings/settings.hpp) and its value.
/// They come after the configuration file.
struct serve_options {
  std::string config_file; ///< Empty: none.
  std::vector<std::pair<std::string, std::string>> flags;
  bool print_config = false;
  bool is_dev = false; ///< What is not set otherwise is as one tries a server.
};

/// Flags of `card`: what to print, or what to verify.
struct card_command_options {
  std::string config_file;         ///< Empty: none.
  std::optional<card_shape> shape; ///< As the configuration's default says, if missing.
  std::string verify_file;         ///< A card to verify instead; `-`: standard input; empty: none.
  std::string key_file;            ///< A public key in PEM; needed with `verify_file`.
  std::string kid;                 ///< The key's name; empty: any.
};

enum class store_tool : std::uint8_t { check, stat, repair, migrate };

/// Flags of `store`: which tool, and of what directory.
struct store_tool_options {
  store_tool tool = store_tool::check;
  std::string directory;
  bool json = false;
  bool verbose = false;    ///< Each change as a line of JSON: all of `check`, the lost of `repair`.
  bool lose_after = false; ///< `repair` does what it says.
};

/// `-o`: how a list is printed.
enum class list_format : std::uint8_t {
  table, ///< As wide as the terminal.
  wide,  ///< With more columns, and no line is cut.
  json,  ///< An object a line.
  name,  ///< An id a line.
};

/// Flags of `ls`.
struct list_runs_options {
  std::string server; ///< An alias or a URL; empty: as choose_server finds it.
  list_format format = list_format::table;
  colour_choice colour = colour_choice::automatic;
};

/// Flags of `show`.
struct show_run_options {
  std::string server; ///< As in list_runs_options.
  std::string run;    ///< Its name: an id, the beginning of one, `@last`, or its directory.
  std::optional<output_choice> output; ///< As in run_options.
  std::string output_directory;        ///< As in run_options.
  colour_choice colour = colour_choice::automatic;
};

/// Flags of `logs`.
struct run_logs_options {
  std::string server; ///< As in list_runs_options.
  std::string run;
  std::string task; ///< Its name; empty: all.
  bool follow = false;
  bool json = false;
  colour_choice colour = colour_choice::automatic;
};

/// How an objective or a plan was changed: of a run, or of a server.
struct history_options {
  std::string server;
  std::string id;
  std::optional<std::uint64_t> after;
  std::optional<std::uint64_t> at;
  bool json = false;
  colour_choice colour = colour_choice::automatic;
};

/// The questions of a server, or of the runs of this computer.
struct inbox_options {
  std::string server;
  std::string objective; ///< Or run; empty: all.
  list_format format = list_format::table;
  colour_choice colour = colour_choice::automatic;
};

struct answer_options {
  std::string server;
  std::string id;
  std::optional<std::string> text; ///< Missing: it is asked for at the prompt.
  std::string data;                ///< JSON in place of a text.
  bool declines = false;
  std::string by;         ///< Who answers; empty: the client.
  bool overrides = false; ///< Also if somebody else has claimed it.
};

/// Flags of `claim`: of a question of a server, or of a run.
struct claim_options {
  std::string server;
  std::string id;
  std::string by; ///< Empty: the client.
  bool releases = false;
  bool overrides = false;
  bool json = false;
};

/// Flags of `modify`: how an objective, a run or a plan is changed.
struct modify_options {
  std::string server;
  std::string id;
  std::string file; ///< Of operations; `-`: standard input.
  std::string adds; ///< The name of a task, in place of a file.
  std::vector<std::string> after;
  std::string agent;
  std::string input; ///< JSON.
  std::string reason;
  std::optional<std::uint64_t> if_revision;
  bool is_dry = false;
  bool json = false;
};

/// Flags of `rm`: runs by name, or those that a rule does not keep.
struct remove_runs_options {
  std::string server; ///< Runs of this computer are removed, so only `local` is of use.
  std::vector<std::string> runs;
  std::string keep;
};

struct init_options {
  std::string file = "plan.yaml";
  bool replaces = false; ///< A file that is there.
};

struct agents_options {};
struct manual_options {};

enum class shell_kind : std::uint8_t { bash, zsh, fish };

struct completion_options {
  shell_kind shell = shell_kind::bash;
};

/// The words that a person has typed behind the program's name; the last one is being typed.
struct complete_options {
  std::vector<std::string> words;
};

struct schema_options {};
struct version_options {};

} // namespace troupe
