// `troupe validate`: reads and checks plan files, runs nothing.
#include "apps/commands.hpp"
#include "apps/draw/critical_path.hpp"
#include "apps/plan/plan_excerpt.hpp"
#include "apps/plan/plan_file.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/text.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/text/counted.hpp"

#include <cstdint>
#include <string>

namespace troupe {

namespace {

struct plan_numbers {
  std::uint64_t plans = 0;
  std::uint64_t tasks = 0;
  std::uint64_t dependencies = 0; ///< Between tasks and between plans.
  std::int64_t critical_path = 0;
};

plan_numbers count(const checked_file& file) {
  plan_numbers out;
  const auto& plans = file.file.objective.plans;
  out.plans = plans.size();
  for (std::size_t p = 0; p < plans.size(); ++p) {
    out.tasks += plans[p]->tasks.size();
    out.dependencies +=
        file.edges.plans[p].dependency_positions.size() + file.edges.plans[p].dependencies.size();
  }
  out.critical_path = critical_path_tasks(plans, file.edges);
  return out;
}

/// `name`: the file's, to be said; may be empty. False as of `say`.
bool say_verdict(const plan_numbers& numbers, const std::string& name, bool json) {
  if (!json) {
    return say(
        (name.empty() ? "" : name + ": ") + "valid: " + counted(numbers.plans, "plan", "plans")
        + ", " + counted(numbers.tasks, "task", "tasks") + ", "
        + counted(numbers.dependencies, "dependency", "dependencies") + ", critical path "
        + counted(static_cast<std::uint64_t>(numbers.critical_path), "task", "tasks") + "\n");
  }
  std::string line;
  json_writer writer(line);
  writer.begin_object()
      .key("valid")
      .boolean(true)
      .optional_member("file", valid_utf8(name))
      .key("plans")
      .number(numbers.plans)
      .key("tasks")
      .number(numbers.tasks);
  writer.key("dependencies")
      .number(numbers.dependencies)
      .key("criticalPathTasks")
      .number(numbers.critical_path);
  writer.end_object();
  return say(line + "\n");
}

void say_refusal(const error& why, const std::string& name) {
  std::string line;
  json_writer writer(line);
  writer.begin_object()
      .key("valid")
      .boolean(false)
      .optional_member("file", valid_utf8(name))
      .key("error")
      .begin_object()
      .member("code", to_string(why.code));
  writer.member("message", valid_utf8(why.message)).optional_member("field", valid_utf8(why.field));
  writer.end_object().end_object();
  say(line + "\n");
}

} // namespace

int validate_command(const validate_options& options) {
  int code = exit_ok;
  for (const auto& path : options.files) {
    const auto name = options.files.size() > 1 ? path : std::string{};
    const auto file = read_and_check(path, options.params);
    if (file) {
      code = exit_code_of(code, say_verdict(count(*file), name, options.json));
      continue;
    }
    if (options.json)
      say_refusal(file.error(), name);
    complain_about_plan(file.error(), path);
    code = exit_usage;
  }
  return code;
}

} // namespace troupe
