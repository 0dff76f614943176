// What the commands for servers were asked to do, as plain values. The command line makes them.
// `server`: an alias or a URL; empty: as choose_server finds it.
#pragma once

#include "apps/options.hpp"
#include "apps/terminal/text.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

struct send_options {
  std::string server;
  std::optional<std::string> text; ///< `-`: standard input.
  std::vector<std::string> files;
  std::vector<std::string> data; ///< JSON.
  std::string task;
  std::string context;
  bool json = false;
};

struct remote_agent_options {
  std::optional<std::string> request; ///< JSON; `-` or missing: standard input.
  bool updates = false;
};

struct tasks_options {
  std::string server;
  std::string context;
  std::string state;
  std::uint32_t most = 50;
  list_format format = list_format::table;
  colour_choice colour = colour_choice::automatic;
};

struct task_options {
  std::string server;
  std::string id;
  bool json = false;
  colour_choice colour = colour_choice::automatic;
};

struct cancel_options {
  std::string server;
  std::string id;
};

struct push_add_options {
  std::string server;
  std::string task;
  std::string url;
  std::string id;         ///< Empty: a new one is made.
  std::string token_env;  ///< The name of a variable; empty: no token.
  std::string bearer_env; ///< The same, for `Authorization: Bearer`.
  bool json = false;
};

struct push_list_options {
  std::string server;
  std::string task;
  list_format format = list_format::table;
  colour_choice colour = colour_choice::automatic;
};

struct push_remove_options {
  std::string server;
  std::string task;
  std::string id;
};

struct agent_options {
  std::string server;
  std::string key_file; ///< A public key; empty: the signature is not verified.
  bool json = false;
  colour_choice colour = colour_choice::automatic;
};

/// How an objective is watched.
struct watch_choice {
  bool json = false;
  bool quiet = false;
  bool no_input = false;
  bool waits = false; ///< For answers from elsewhere, if nobody can be asked here.
  bool starts =
      false; ///< The objective is new, and begins once it is watched, so that all is seen.
  std::optional<output_choice> output;
  std::string output_directory;
  timing_files timing;
  colour_choice colour = colour_choice::automatic;
};

struct submit_options {
  std::string server;
  std::string file;
  std::vector<std::pair<std::string, std::string>> params; ///< As in run_options.
  bool watches = false;
  watch_choice watch;
};

struct watch_options {
  std::string server;
  std::string id;
  watch_choice watch;
};

struct replan_options {
  std::string server;
  std::string id;
  std::string text; ///< `-`: standard input.
  std::string template_name;
  std::vector<std::pair<std::string, std::string>> params;
  std::string reason;
  std::optional<std::uint64_t> if_revision;
  bool is_dry = false;
  bool json = false;
};

enum class objective_step : std::uint8_t { pause, resume, retry };

struct step_options {
  std::string server;
  objective_step step = objective_step::pause;
  std::string id;
  // Of a retry.
  std::string file{}; ///< The plan as it is now; empty: as it was sent.
  std::vector<std::pair<std::string, std::string>> params{}; ///< As in run_options.
};

struct context_options {
  std::optional<std::string> use; ///< An alias, or `local`; missing: list.
  bool json = false;
  colour_choice colour = colour_choice::automatic;
};

} // namespace troupe
