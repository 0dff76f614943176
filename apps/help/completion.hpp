// What may come next on a command line: from the tree of commands alone. What depends on what is
// there (runs, objectives) is named, and the command looks it up.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace troupe {

/// Words that only a look at what is there can tell.
enum class candidate_kind : std::uint8_t {
  none,
  files,
  directories,
  runs, ///< Of this computer; of a server its objectives.
  runs_or_files,
  run_tasks,       ///< Tasks of the run `of`; of a server tasks of its objective `of`.
  file_tasks,      ///< Tasks of the plan file `of`.
  objective_tasks, ///< Tasks of the objective `of` of a server; of this computer of the run `of`.
  objectives,
  objectives_or_tasks,
  stored_objectives, ///< Of the data directory `directory`.
  questions,         ///< Of a server; of this computer the runs that wait for an answer.
  remote_tasks,      ///< Tasks of an A2A agent.
  remote_contexts,   ///< Contexts of its tasks.
  templates,         ///< Those of the program, and of `directory`.
  remote_templates,
  servers, ///< Targets.
  targets, ///< The same, and `local`.
  agents,
};

struct completion {
  /// Each with its help. They begin with what was typed.
  std::vector<std::pair<std::string, std::string>> words;
  candidate_kind kind = candidate_kind::none;
  std::string of;          ///< The first argument of the command, as typed; may be empty.
  std::string server;      ///< The value of `--server`, if it was typed.
  std::string directory{}; ///< The same of `--data`, `--dir` or `--templates`.
};

/// `words`: those behind the program's name; the last one is being typed and may be empty.
[[nodiscard]] completion complete(const CLI::App& app, const std::vector<std::string>& words);

} // namespace troupe
