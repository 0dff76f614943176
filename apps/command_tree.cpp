#include "apps/command_tree.hpp"

#include "apps/flag_choices.hpp"
#include "apps/session/session_command_line.hpp"
#include "apps/store/store_command_line.hpp"

#include <array>
#include <initializer_list>
#include <map>
#include <string>

namespace troupe {

namespace {

constexpr const char* overview =
    R"(Troupe runs plans: an objective has plans, plans have tasks, tasks depend on
each other, and everything that may run at once does. Agents do the work. Give
it a file, or serve it over the A2A protocol.)";

constexpr const char* examples = R"(Examples:
  troupe init && troupe run plan.yaml      write a first plan, run and watch it
  troupe ls; troupe logs @last             earlier runs; what programs wrote
  troupe run --retry                       do again what failed in the last run
  troupe run plan.json --json | tail -n 1  run it unattended, get the summary
  troupe serve --listen 127.0.0.1:8080 --data ./state
                                           serve A2A clients; survives kill -9
  export TROUPE_SERVER=http://127.0.0.1:8080
  troupe submit plan.yaml --watch          run a plan on a server and watch it
  troupe logs @last; troupe retry @last    what programs wrote; do failed again

Exit codes:
  0 completed   1 failed   2 wrong usage or invalid file, nothing was run
  3 input needed and nobody to ask   130 canceled

`troupe COMMAND --help` explains a command. The whole manual is docs/cli.md.)";

constexpr const char* completion_footer = R"(Examples:
  source <(troupe completion bash)         in ~/.bashrc
  troupe completion zsh > ~/.zfunc/_troupe    a directory of fpath
  troupe completion fish > ~/.config/fish/completions/troupe.fish

Commands, flags, files, and what is there: runs and their tasks, targets, objectives and questions of the server.)";

const std::map<std::string, shell_kind> shells{
    {"bash", shell_kind::bash}, {"zsh", shell_kind::zsh}, {"fish", shell_kind::fish}};

void add_completion(CLI::App& app, completion_options& options) {
  auto& completion = *app.add_subcommand("completion", "Print what lets a shell complete commands");
  completion
      .add_option_function<std::string>(
          "SHELL",
          [&options](const std::string& text) {
            options.shell = value_named("SHELL", text, shells);
          },
          "bash, zsh or fish")
      ->required()
      ->type_name(names_of(shells));
  completion.footer(completion_footer);
}

/// The headings below which `troupe --help` lists its commands, in this order.
struct command_group {
  const char* heading;
  std::initializer_list<const char*> commands;
};

const std::array<command_group, 6> groups{{
    {"Plans", {"init", "plan", "templates", "validate", "graph", "schema"}},
    {"Runs on this computer",
     {"run", "ls", "show", "logs", "inbox", "answer", "claim", "modify", "history", "rm"}},
    {"Objectives of a server (the commands for runs but run and rm, too)",
     {"submit", "watch", "replan", "pause", "resume", "retry", "context"}},
    {"Any A2A agent", {"send", "tasks", "task", "cancel", "push", "agent", "remote-agent"}},
    {"A server of your own", {"serve", "card", "store", "session"}},
    {"More", {"agents", "version", "completion", "man", "help"}},
}};

/// CLI11's words in ours. The kind of an argument says no more than its name, which the usage has
/// in brackets unless it is required.
void set_words(CLI::App& app) {
  auto& words = *app.get_formatter();
  for (const auto* none : {"TEXT", "REQUIRED"})
    words.label(none, "");
  words.label("Positionals", "Arguments");
  words.label("SUBCOMMAND", "COMMAND");
  words.label("SUBCOMMANDS", "COMMAND");
  words.label("Excludes", "not with");
  words.label("Needs", "only with");
}

} // namespace

command_tree::command_tree() : app{overview, "troupe"} {
  set_words(app); // The commands take over the words.
  app.footer(examples);
  app.require_subcommand(0, 1);
  app.add_flag("--version,-V", version, "Print the version");
  add_plan_commands(app, plan);
  add_runs_commands(app, runs);
  add_remote_commands(app, remote);
  add_serve_commands(app, serve);
  add_store(app, store);
  add_session(app, session);
  app.add_subcommand("agents", "List the agents and what they do")
      ->footer("Example:\n  troupe agents");
  app.add_subcommand("version", "Print version, commit, CAF version and compiler")
      ->footer("Example:\n  troupe version");
  add_completion(app, completion);
  app.add_subcommand("man", "Print the manual page")->footer("Example:\n  troupe man | man -l -");
  app.add_subcommand("help", "Explain a command: troupe help run")
      ->footer("Example:\n  troupe help run")
      ->prefix_command();
  for (const auto& group : groups)
    for (const auto* each : group.commands) {
      auto& command = *app.get_subcommand(each);
      command.group(group.heading);
      for (auto* below : command.get_subcommands({}))
        below->group("Commands");
    }
}

} // namespace troupe
