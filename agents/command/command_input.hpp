// The `input` of a `command` task, read and checked. A plain value.
#pragma once

#include "agents/input_check.hpp"
#include <troupe/actors/agent.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe {

inline constexpr std::size_t command_output_bytes_default = std::size_t{8} << 20; ///< Of stdout.
inline constexpr std::size_t command_output_bytes_limit =
    std::size_t{1} << 30; ///< The most `outputLimit` may ask for.
inline constexpr double command_kill_after_seconds_max = 3600;

/// What its input may have (docs/agents.md).
inline constexpr auto command_members =
    std::to_array<std::string_view>({"argv", "shell", "cwd", "env", "envAllow", "protocol", "stdin",
                                     "outputLimit", "killAfter", "restart", "data", "text"});

struct command_input {
  std::vector<std::string> argv;
  std::string cwd;
  std::vector<std::pair<std::string, std::string>> env;
  std::vector<std::string> env_allow;
  bool json_lines = false;   ///< `protocol` is `jsonl`.
  bool json_on_stdin = true; ///< `stdin` is `json`.
  std::size_t output_bytes_max = command_output_bytes_default;
  std::chrono::nanoseconds kill_after = std::chrono::seconds{2};
};

/// Members: `argv` or `shell`, `cwd`, `env`, `envAllow`, `protocol`, `stdin`, `outputLimit`,
/// `killAfter`, `restart`; and `data` and `text`, which are the program's own and reach it on
/// stdin. In a written input whatever is still a reference is left out.
[[nodiscard]] result<command_input> read_command_input(const boost::json::object& from,
                                                       input_stage stage);
/// Of an attempt. `data` and `text` are not resolved.
[[nodiscard]] result<command_input> read_command_input(const order_input& from);

/// Its `restart`; `fallback` if it has none. One that cannot be read, or is not known yet (a
/// reference), is `fail`: its author may have meant that, and what ran twice cannot be taken back.
/// No other member matters, so that none can hide it.
[[nodiscard]] restart_rule read_restart(const boost::json::object& from, restart_rule fallback);

/// Whether `envAllow` names only variables of `passed` (`*`: every one) and the harmless few.
/// errc::invalid_params.
[[nodiscard]] result<void> check_variables(const command_input& input,
                                           const std::vector<std::string>& passed);

/// What the program finds as its environment, as `NAME=value`: of `ours` the harmless few (PATH,
/// HOME, USER, LOGNAME, SHELL, LANG, LANGUAGE, LC_*, TZ, TMPDIR) and what `envAllow` names, then
/// `env` over them.
[[nodiscard]] std::vector<std::string> command_environment(const command_input& input,
                                                           const std::vector<std::string>& ours);

} // namespace troupe
