#include "apps/store/store_command_line.hpp"

#include <CLI/CLI.hpp>

namespace troupe {

namespace {

constexpr const char* store_footer = R"(Examples:
  troupe store check --data ./state        is everything there, and does it fit together?
  troupe store stat --data ./state
  troupe store repair --data ./state       what would be lost?

No server may run on the directory. check and stat change nothing.

Exit codes: 0 fine, 1 something is wrong with the store, 2 wrong usage, or it cannot be read.)";

constexpr const char* check_footer =
    R"(Reads every segment and group of the journal and every row of the tables, and compares what belongs together:
tables and journal, the history of each stream, records of ended tasks and objectives, lists, counts, push
configurations. Each finding is a line with its file and byte, or with the key of its row. Changes nothing.

Examples:
  troupe store check --data ./state
  troupe store check --data ./state --json | tail -n 1
  troupe store check --data ./state --verbose --json | jq -c 'select(.objective == "trip")'

Exit codes: 0 everything fits, 1 findings, 2 wrong usage, or the directory cannot be read.)";

constexpr const char* stat_footer = R"(Examples:
  troupe store stat --data ./state
  troupe store stat --data ./state --json | jq .liveTasks

Exit codes: 0 printed, 1 the journal is damaged, 2 wrong usage, or the directory cannot be read.)";

constexpr const char* repair_footer =
    R"(For a server that does not start because its journal is damaged. The tables keep all that they have. Of the
journal, the groups that the tables do not have yet are kept up to the damage; the groups after it are lost,
because it follows from what is missing. If a backup of the directory has it, restore that instead.

Without --lose-after nothing is changed: it says what would be lost. With it, the directory is copied to
DIR.before-repair-N first, then repaired, and the server starts again.

Examples:
  troupe store repair --data ./state       what would be lost?
  troupe store repair --data ./state --lose-after

Exit codes: 0 repaired, or nothing to repair; 1 a repair is needed; 2 wrong usage, or it cannot be repaired.)";

constexpr const char* migrate_footer =
    R"(The start of a server does the same. An older version of this program refuses the directory afterwards.

Example:
  troupe store migrate --data ./state

Exit codes: 0 converted, or nothing to do; 2 wrong usage, or it cannot be converted.)";

} // namespace

void add_store(CLI::App& app, store_tool_options& options) {
  auto& store = *app.add_subcommand("store", "Check, measure, repair or convert a data directory");
  store.require_subcommand(1);
  store.footer(store_footer);
  const auto add = [&](const char* name, store_tool tool, const char* help, const char* footer) {
    auto& out = *store.add_subcommand(name, help);
    out.callback([&options, tool] { options.tool = tool; });
    out.add_option("--data,--data-dir", options.directory, "The data directory")
        ->type_name("DIR")
        ->required();
    out.add_flag("--json", options.json, "JSON instead of text, an object on each line");
    out.footer(footer);
    return &out;
  };
  add("check", store_tool::check, "Read everything; say what does not fit", check_footer)
      ->add_flag("--verbose", options.verbose, "Print each change as one line of JSON");
  add("stat", store_tool::stat, "Print numbers about the journal and the tables", stat_footer);
  auto& repair = *add("repair", store_tool::repair,
                      "Continue without the groups after damage in the journal", repair_footer);
  repair.add_flag("--lose-after", options.lose_after,
                  "Do it: copy the directory, and drop the groups after the damage");
  repair.add_flag("--verbose", options.verbose, "Print each lost change as one line of JSON");
  add("migrate", store_tool::migrate, "Convert a directory of an older format", migrate_footer);
}

} // namespace troupe
