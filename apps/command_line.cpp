#include "apps/command_line.hpp"

#include "apps/command_tree.hpp"
#include "apps/help/help_text.hpp"
#include "apps/help/usage_error.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe {

namespace {

constexpr std::string_view help_word = "help";
constexpr std::string_view complete_word = "__complete"; ///< For the scripts of `completion` only.

/// `store check `: the subcommands that were chosen, for a hint at their help.
std::string chosen_commands(const CLI::App& app) {
  std::string out;
  for (const auto* each = &app; !each->get_subcommands().empty();) {
    each = each->get_subcommands().front();
    out += each->get_name() + " ";
  }
  return out;
}

/// The words behind the program's name, the last one first, as CLI11 takes them. `help COMMAND` is
/// `COMMAND --help`.
std::vector<std::string> words_of(int argc, const char* const* argv) {
  std::vector<std::string> out(argv + std::min(argc, 1), argv + argc);
  if (!out.empty() && out.front() == help_word) {
    out.erase(out.begin());
    out.emplace_back("--help");
  }
  std::ranges::reverse(out);
  return out;
}

/// CLI11 says that a required argument is missing; for some it depends on other options.
std::string missing_argument(const command_tree& from) {
  const auto is = [&](const char* name) { return from.app.got_subcommand(name); };
  const auto& [run, list, show, logs, remove] = from.runs;
  if (is("run") && run.file.empty() && run.purpose == run_purpose::begin)
    return "run needs FILE (a plan), --resume or --retry; `troupe init` writes a first one";
  if (is("rm") && remove.runs.empty() && remove.keep.empty())
    return "rm needs RUN (its id, the beginning of it, or @last) or --keep; `troupe ls` lists them";
  if (is("graph") && from.plan.graph.file.empty() && from.plan.graph.run.empty())
    return "graph needs FILE (a plan) or --run RUN; `troupe init` writes a first one";
  return {};
}

/// What was chosen and read.
command chosen(command_tree& from) {
  const auto is = [&](const char* name) { return from.app.got_subcommand(name); };
  if (auto remote = chosen_remote(from.app, from.remote))
    return std::visit([](auto& each) -> command { return std::move(each); }, *remote);
  if (is("init"))
    return from.plan.init;
  if (is("plan"))
    return from.plan.plan;
  if (is("templates"))
    return from.plan.templates;
  if (is("run"))
    return from.runs.run;
  if (is("ls"))
    return from.runs.list;
  if (is("show"))
    return from.runs.show;
  if (is("logs"))
    return from.runs.logs;
  if (is("rm"))
    return from.runs.remove;
  if (is("validate"))
    return from.plan.validate;
  if (is("graph"))
    return from.plan.graph;
  if (is("serve"))
    return from.serve.serve;
  if (is("card"))
    return from.serve.card;
  if (is("store"))
    return from.store;
  if (is("session"))
    return from.session;
  if (is("agents"))
    return agents_options{};
  if (is("schema"))
    return schema_options{};
  if (is("completion"))
    return from.completion;
  if (is("man"))
    return manual_options{};
  return finished{
      exit_usage,
      {},
      "which command? `troupe init` writes a first plan; `troupe --help` lists all commands"};
}

} // namespace

command read_command_line(int argc, const char* const* argv) {
  if (argc > 1 && argv[1] == complete_word)
    return complete_options{{argv + 2, argv + argc}};
  command_tree tree;
  if (argc > 1 && argv[1] == help_word)
    if (auto problem = help_problem(tree.app, {argv + 2, argv + argc}))
      return finished{exit_usage, {}, *problem + " (try `troupe --help`)"};
  auto words = words_of(argc, argv);
  try {
    tree.app.parse(words);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream err;
    const int code = tree.app.exit(error, out, err);
    if (code == 0)
      return finished{
          exit_ok, fit_help(out.str(), tree.app.get_formatter()->get_column_width()), {}};
    return finished{exit_usage,
                    {},
                    usage_problem(tree.app, error) + " (try `troupe " + chosen_commands(tree.app)
                        + "--help`)"};
  }
  if (tree.version || tree.app.got_subcommand("version"))
    return version_options{};
  if (auto problem = missing_argument(tree); !problem.empty())
    return finished{exit_usage, {}, std::move(problem)};
  return chosen(tree);
}

} // namespace troupe
