// What each subcommand was asked to do, as plain values. The command line makes them; the commands
// carry them out.
#pragma once

#include "apps/text.hpp"
#include "protocol/a2a/codec_agent_card.hpp"
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

enum class store_kind : std::uint8_t { memory, rocksdb };

/// Where the records go.
struct store_choice {
  store_kind kind = store_kind::rocksdb;
  troupe::durability durability = durability::sync;
  std::string directory;      ///< Empty: the subcommand's default.
  memory_budget_ptr memory{}; ///< What the process may hold. Null: no limit.
};

struct run_options {
  std::string file; ///< `-`: standard input. May be empty with `resume` and a directory.
  bool json = false;
  bool quiet = false;
  bool no_input = false;
  bool resume = false;
  double time_scale = 1.0;
  std::uint32_t parallel_max = 0; ///< 0: as the file or the record says.
  store_choice store;
  std::string agent; ///< Of tasks that name none; empty: the registry's default.
  std::vector<std::pair<std::string, std::string>>
      answers; ///< Key or name of a task, and what to answer; each is used once.
  colour_choice colour = colour_choice::automatic;
};

struct validate_options {
  std::vector<std::string> files;
  bool json = false;
};

enum class graph_format : std::uint8_t { text, dot, svg, mermaid };

struct graph_options {
  std::string file;
  graph_format format = graph_format::text;
};

/// Flags of `serve` as typed: the name of a setting (apps/settings/settings.hpp) and its value.
/// They come after the configuration file.
struct serve_options {
  std::string config_file; ///< Empty: none.
  std::vector<std::pair<std::string, std::string>> flags;
  bool print_config = false;
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

struct agents_options {};
struct version_options {};

} // namespace troupe
