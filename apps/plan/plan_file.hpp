// Reads the file that `run`, `validate` and `graph` are given, and says in one sentence what is
// wrong with it.
#pragma once

#include "actors/graph/objective_graph.hpp"
#include <troupe/actors/agent.hpp>
#include <troupe/agents/program_log.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/plan_document.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe {

/// Above: refused, before it is read further. A plan of a million tasks takes about 150 MB.
inline constexpr std::size_t plan_file_bytes_max = std::size_t{1} << 30;

struct plan_file {
  std::string name; ///< As given; `-` is shown as `standard input`.
  std::string text;
  bool is_yaml = false;
  bool is_bare_plan = false; ///< plan_document::is_bare_plan
  objective_spec objective;  ///< Its parameters have their values.
  boost::json::object env;   ///< plan_document::env, the same.
};

/// `name=value`, as the person gave them.
using param_values = std::vector<std::pair<std::string, std::string>>;

/// JSON or YAML: by the ending of the name (`.json`, `.yaml`, `.yml`), else by the text: JSON
/// begins with a brace. Errors: unavailable (cannot be read), limit_exceeded, parse_error,
/// invalid_document; the message begins with the file's name. invalid_params, invalid_reference: as
/// fill_params.
[[nodiscard]] result<plan_file> read_plan_file(const std::string& path,
                                               const param_values& params = {});

/// Everything the gateway would check, and that each plan has tasks (without them it would never
/// end). The message begins with the file's name and, where the error has a place, the line.
[[nodiscard]] result<resolved_objective> check_plan_file(const plan_file& file,
                                                         const agent_registry& agents);

struct checked_file {
  plan_file file;
  resolved_objective edges;
};

/// read_plan_file and check_plan_file, with the agents of a person's own files.
[[nodiscard]] result<checked_file> read_and_check(const std::string& path,
                                                  const param_values& params);

/// Whether the plan in that text of that file is YAML, by the rule of read_plan_file.
[[nodiscard]] bool says_yaml(const std::string& path, std::string_view text);

/// `why` as found in `file`: with its name and the line of the field, or of what should have it.
[[nodiscard]] error locate(const plan_file& file, error why);

/// Clears the ids of objective, plans and tasks, which are local names in a file (their keys stay):
/// the same file can then be run any number of times against one store.
void make_ids_local(objective_spec& spec);

/// Adds the agents that do the tasks of a person's own files: programs may ask for any of the
/// person's variables. `log` hears what they write; it may be null. `commands_max`: how many run at
/// once; 0: one for each core.
void register_own_agents(agent_registry& into, std::shared_ptr<program_log> log = nullptr,
                         std::uint32_t commands_max = 0);

/// Makes relative working directories (`cwd`) of commands absolute: they are meant from the
/// directory of the file, which was read from `path`; of standard input, from ours. References stay
/// as they are. Gives each command the variables of the file; its own go first.
void place_commands(plan_file& file, const std::string& path, const agent_registry& agents);

/// Gives each command the variables of the file, as place_commands does. For a server, which knows
/// nothing of this computer's directories.
void pass_variables(plan_file& file);

} // namespace troupe
