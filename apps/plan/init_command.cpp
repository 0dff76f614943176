// `troupe init`: a first plan, to be changed.
#include "apps/commands.hpp"
#include "apps/plan/plan_schema.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/text.hpp"
#include "apps/text_file.hpp"

#include <filesystem>
#include <string_view>

namespace troupe {

namespace {

constexpr std::string_view first_plan_yaml = R"(# yaml-language-server: $schema=plan.schema.json
# Check it with "troupe validate", draw it with "troupe graph", run it with
# "troupe run".
# The schema beside it, which "troupe schema" prints, lets editors complete and
# check it.
# The manual is docs/plans.md.
name: First plan

# Values that may be given when it runs: troupe run plan.yaml --param who=Ada
params:
  who: {description: Whom to greet, default: World}

# Tasks run at once, unless they depend on each other.
tasks:
  # The agent "echo" gives back its text. "troupe agents" lists all agents.
  - name: greet
    agent: echo
    input: {text: "Hello, ${params.who}"}

  # The agent "command" runs a program; what it prints is its result.
  - name: date
    agent: command
    input: {argv: [date]}
    timeout: 60                          # seconds, for each attempt
    retry: {maxAttempts: 2, backoff: 1}  # seconds before the second attempt

  # This one begins when both are completed, and uses what they made.
  - name: report
    agent: echo
    input:
      text: >-
        ${tasks.greet.artifacts[0].text}!
        It is ${tasks.date.artifacts[0].text}
    dependencies: [greet, date]
)";

constexpr std::string_view first_plan_json = R"({
  "$schema": "plan.schema.json",
  "name": "First plan",
  "params": {"who": {"description": "Whom to greet", "default": "World"}},
  "tasks": [
    {"name": "greet", "agent": "echo", "input": {"text": "Hello, ${params.who}"}},
    {
      "name": "date",
      "agent": "command",
      "input": {"argv": ["date"]},
      "timeout": 60,
      "retry": {"maxAttempts": 2, "backoff": 1}
    },
    {
      "name": "report",
      "agent": "echo",
      "input": {"text": "${tasks.greet.artifacts[0].text}! It is ${tasks.date.artifacts[0].text}"},
      "dependencies": ["greet", "date"]
    }
  ]
}
)";

} // namespace

int init_command(const init_options& options) {
  const auto ending = std::filesystem::path(options.file).extension();
  const bool is_json = ending == ".json";
  if (!is_json && options.file != "-" && ending != ".yaml" && ending != ".yml") {
    complain(options.file + ": the name of a plan ends with .yaml, .yml or .json");
    return exit_usage;
  }
  std::error_code failed;
  if (!options.replaces && options.file != "-" && std::filesystem::exists(options.file, failed)) {
    complain(options.file + " is there already; choose another name, or replace it with --force");
    return exit_usage;
  }
  if (const auto done = write_text(options.file, is_json ? first_plan_json : first_plan_yaml);
      !done) {
    complain(done.error().message);
    return exit_failed;
  }
  if (options.file == "-")
    return exit_ok;
  // One that is there stays: other plans may use it.
  const auto schema =
      (std::filesystem::path(options.file).parent_path() / "plan.schema.json").string();
  const bool needs_schema = !std::filesystem::exists(schema, failed);
  if (needs_schema)
    if (const auto done = write_text(schema, plan_schema); !done) {
      complain(done.error().message);
      return exit_failed;
    }
  complain("wrote " + options.file + (needs_schema ? " and, for editors, " + schema : "")
           + "; run it with: `troupe run " + shell_word(options.file) + "`");
  return exit_ok;
}

} // namespace troupe
