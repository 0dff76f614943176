#include "apps/command_line.hpp"

#include "apps/flag_choices.hpp"
#include "apps/remote/remote_command_line.hpp"
#include "apps/session/session_command_line.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/near_name.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe {

namespace {

constexpr const char* overview =
    R"(Troupe runs plans: an objective has plans, plans have tasks, tasks depend on each other, and everything
that may run at once does. Agents do the work. Give it a file, or serve it over the A2A protocol.)";

constexpr const char* examples = R"(Examples:
  troupe run plan.json                     run a plan and watch it (Ctrl-C cancels)
  troupe run plan.json --json | tail -n 1  run it unattended; the last line is the summary
  troupe serve --listen 127.0.0.1:8080 --data ./state
                                           serve A2A clients; everything survives kill -9
  troupe submit plan.json --watch --server http://127.0.0.1:8080
                                           run a plan on a server and watch it

Exit codes:
  0 completed   1 failed   2 wrong usage or invalid file, nothing was run
  3 input needed and nobody to ask   130 canceled

`troupe COMMAND --help` explains a command. The whole manual is docs/cli.md.)";

constexpr const char* run_footer = R"(Examples:
  troupe run scenarios/blog-post.json
  troupe run workflow.json --time-scale 0.01 --max-parallel 8
  troupe run trip.json --answer "Choose a flight=the early one" --no-input
  troupe run --resume                      go on after a crash or kill -9
  troupe run --retry k3v9                  do again what failed in the run k3v9...
  generate-plan | troupe run - --json --store memory

Exit codes: 0 completed, 1 failed, 2 wrong usage or invalid file (nothing was run),
            3 input needed and nobody to ask (go on with --resume), 130 canceled.)";

constexpr const char* names_of_runs =
    R"(RUN is the id of a run, the beginning of an id, @last for the newest one, or the directory of a run (with a /).)";

constexpr const char* list_footer = R"(Examples:
  troupe ls
  troupe ls --json | jq -r 'select(.state == "failed") | .id'

States: running; waiting (for an answer) and interrupted: go on with troupe run --resume RUN;
completed; failed and canceled: do again what is missing with troupe run --retry RUN.)";

constexpr const char* show_footer = R"(Examples:
  troupe show @last
  troupe show k3v9 --output all
  troupe show k3v9 --output-dir results

)";

constexpr const char* logs_footer = R"(Examples:
  troupe logs @last
  troupe logs k3v9 compile
  troupe logs @last --follow               until the run ends

)";

constexpr const char* remove_footer = R"(Examples:
  troupe rm k3v9 @last
  troupe rm --keep 100                     all but the newest 100
  troupe rm --keep 30d                     those that ended more than 30 days ago

--keep never removes a run that is running or can be resumed.
)";

constexpr const char* init_footer = R"(Examples:
  troupe init                              plan.yaml, with comments that explain it
  troupe init plans/build.json             the same as JSON, which has no comments
  troupe run plan.yaml

Exit codes: 0 written, 1 the file cannot be written, 2 it is there already (see --force).)";

constexpr const char* plan_footer = R"(Examples:
  troupe plan "First search papers, then write a report"
  troupe plan steps.txt --json > plan.json && troupe run plan.json
  troupe plan plan.json --as-text          a plan document as a list with sentences

A word alone is the name of a file. What is understood is described in docs/planner.md.

Exit codes: 0 it is a plan, 1 it is none (the reasons are printed), 2 wrong usage or an unreadable file.)";

constexpr const char* schema_footer = R"(Example:
  troupe schema > plan.schema.json

A plan names it in its first line, and editors complete and check it:
  # yaml-language-server: $schema=plan.schema.json     in YAML
  "$schema": "plan.schema.json",                       in JSON)";

constexpr const char* validate_footer = R"(Examples:
  troupe validate plans/*.json
  troupe validate plan.json --json && troupe run plan.json

Exit codes: 0 all valid, 2 one is not valid.)";

constexpr const char* graph_footer = R"(Examples:
  troupe graph plan.json
  troupe graph plan.json --format dot | dot -Tpdf > plan.pdf
  troupe graph plan.json --format svg > plan.svg)";

constexpr const char* serve_footer = R"(Examples:
  troupe serve --listen 127.0.0.1:8080 --data ./state
  troupe serve --config troupe.toml --log-format json
  troupe serve --print-config > troupe.toml

Flags win over the configuration file. SIGTERM and Ctrl-C drain: no new work, streams end, the journal is closed;
a second signal exits at once.)";

constexpr const char* card_footer = R"(Examples:
  troupe card --config troupe.toml         what troupe serve --config troupe.toml would serve
  troupe card --pure10                     the card of A2A 1.0, without the keys of 0.3
  curl -s URL/.well-known/agent-card.json | troupe card --verify - --key public.pem

A key to sign with (card.signing.key):
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem
  openssl pkey -in key.pem -pubout -out public.pem

Exit codes: 0 printed, or the signature holds; 1 no signature holds; 2 wrong usage or an invalid file.)";

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

constexpr std::uint32_t jobs_max = 10'000; ///< Each takes a process and three descriptors.

const std::map<std::string, store_kind> store_kinds{{"memory", store_kind::memory},
                                                    {"rocksdb", store_kind::rocksdb}};
const std::map<std::string, durability> durabilities{{"sync", durability::sync},
                                                     {"async", durability::async}};
const std::map<std::string, graph_format> formats{{"text", graph_format::text},
                                                  {"dot", graph_format::dot},
                                                  {"svg", graph_format::svg},
                                                  {"mermaid", graph_format::mermaid}};

void add_run(CLI::App& app, run_options& options) {
  auto& run = *app.add_subcommand("run", "Run a plan from a file and watch it");
  run.add_option("FILE", options.file,
                 "A plan document or a WfFormat 1.5 instance; - reads standard input.\n"
                 "With --resume and --retry also a run: its id, the beginning of it, or @last");
  run.add_flag("--json", options.json, "One JSON object per event, a summary as the last line");
  run.add_flag("--quiet,-q", options.quiet, "Only the summary");
  run.add_option_function<double>(
         "--time-scale",
         [&options](double value) {
           if (!(value >= 0.0) || value > 1e6)
             throw CLI::ValidationError("--time-scale", "must be between 0 and 1000000");
           options.time_scale = value;
         },
         "Multiplies the times of agents that only wait (sleep, scripted)")
      ->type_name("X");
  run.add_option("--max-parallel", options.parallel_max,
                 "At most so many tasks at once, whatever the file or the record says")
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{1}, std::numeric_limits<std::uint32_t>::max()));
  run.add_option("-j,--jobs", options.commands_max,
                 "At most so many commands at once (default: one for each core)")
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{1}, jobs_max));
  run.add_option("--data", options.store.directory,
                 "Where the record is kept (default: a directory of its own in\n"
                 "${XDG_STATE_HOME:-~/.local/state}/troupe/runs)")
      ->type_name("DIR");
  add_choice(run, "--store", options.store.kind, store_kinds,
             "What keeps the record (default rocksdb)");
  add_choice(run, "--durability", options.store.durability, durabilities,
             "sync: survives power loss; async: survives kill -9 (default sync)");
  auto* resume = run.add_flag_callback(
      "--resume", [&options] { options.purpose = run_purpose::resume; },
      "Go on with a run that was interrupted or waits for an answer:\n"
      "the newest one, of FILE, or the one of that id");
  auto* retry = run.add_flag_callback(
      "--retry", [&options] { options.purpose = run_purpose::retry; },
      "Do again what failed or was canceled, and what depends on it:\n"
      "in the newest such run, of FILE, or the one of that id");
  retry->excludes(resume);
  run.add_option("--keep", options.keep,
                 "Remove older runs at the end: 100 keeps so many, 30d those of so many days")
      ->type_name("N|Nd");
  run.add_option("--agent", options.agent, "Does the tasks that name no agent")->type_name("NAME");
  add_params(run, options.params);
  add_pairs(run, "--answer", options.answers, "KEY=TEXT",
            "KEY=TEXT (KEY: a task's id or name in the file)",
            "Answers a task's question, once; may be repeated");
  run.add_flag("--dry-run", options.dry_run, "Say what would begin when; run nothing")
      ->excludes(resume)
      ->excludes(retry);
  run.add_option("--trace", options.trace_file,
                 "Write when tasks ran, in the trace format of Chrome (also for Perfetto)")
      ->type_name("FILE");
  run.add_option("--timeline", options.timeline_file,
                 "Draw when tasks ran, as SVG or, with a table, as a page")
      ->type_name("FILE.svg|html");
  add_output(run, options.output, options.output_directory);
  run.add_flag("--no-input", options.no_input, "Never ask at the prompt");
  add_colour(run, options.colour);
  run.footer(run_footer);
}

void add_plan(CLI::App& app, plan_text_options& options) {
  auto& plan = *app.add_subcommand("plan", "Explain what the planner reads in a text; run nothing");
  plan.add_option("TEXT", options.input,
                  "A text, the name of a file with one, or - for standard input")
      ->required();
  auto* json = plan.add_flag("--json", options.json, "The plan as a document for troupe run");
  plan.add_flag("--as-text", options.as_text,
                "The plan as a numbered list with sentences; FILE may be a plan document")
      ->excludes(json);
  plan.add_flag("--prefer-objective", options.prefers_objective,
                "As a client that prefers an objective: guesses are allowed");
  plan.add_option("--template", options.template_name, "Take this template")->type_name("NAME");
  add_params(plan, options.params);
  plan.footer(plan_footer);
}

void add_list(CLI::App& app, list_runs_options& options) {
  auto& list = *app.add_subcommand("ls", "List runs, or the objectives of a server, newest first");
  add_format(list, options.format);
  add_server(list, options.server);
  add_colour(list, options.colour);
  list.footer(list_footer);
}

void add_show(CLI::App& app, show_run_options& options) {
  auto& show = *app.add_subcommand("show", "Show a run, or an objective of a server");
  show.add_option("RUN", options.run, "Its id, the beginning of it, or @last")->required();
  add_server(show, options.server);
  add_output(show, options.output, options.output_directory);
  add_colour(show, options.colour);
  show.footer(std::string(show_footer) + names_of_runs);
}

void add_logs(CLI::App& app, run_logs_options& options) {
  auto& logs = *app.add_subcommand("logs", "Print what the programs of a run wrote");
  logs.add_option("RUN", options.run, "Its id, the beginning of it, or @last")->required();
  logs.add_option("TASK", options.task, "Only of this task: its id or name in the file");
  logs.add_flag("--follow,-f", options.follow,
                "Go on until the run ends; of a server, until TASK ends, if it is given");
  logs.add_flag("--json", options.json, "One JSON object for each line");
  add_server(logs, options.server);
  add_colour(logs, options.colour);
  logs.footer(std::string(logs_footer) + names_of_runs);
}

void add_remove(CLI::App& app, remove_runs_options& options) {
  auto& remove = *app.add_subcommand("rm", "Remove runs with their records");
  auto* runs = remove.add_option("RUN", options.runs, "Their ids, or the beginnings of them");
  remove.add_option("--keep", options.keep, "Remove all but N runs, or those of so many days")
      ->type_name("N|Nd")
      ->excludes(runs);
  remove.footer(std::string(remove_footer) + names_of_runs);
}

void add_serve(CLI::App& app, serve_options& options) {
  auto& serve = *app.add_subcommand("serve", "Serve A2A clients over HTTP");
  const auto setting = [&](const std::string& flag, const std::string& key, const std::string& type,
                           const std::string& help) {
    serve
        .add_option_function<std::string>(
            flag,
            [&options, key](const std::string& value) { options.flags.emplace_back(key, value); },
            help)
        ->type_name(type);
  };
  const auto repeated = [&](const std::string& flag, const std::string& key,
                            const std::string& help) {
    serve
        .add_option_function<std::vector<std::string>>(
            flag,
            [&options, key](const std::vector<std::string>& all) {
              std::string list;
              for (const auto& each : all)
                list += (list.empty() ? "" : ",") + each;
              options.flags.emplace_back(key, list);
            },
            help)
        ->type_name("NAME")
        ->expected(1)
        ->take_all();
  };
  setting("--listen", "listen", "HOST:PORT",
          "Where to listen; port 0 takes a free one (default 127.0.0.1:8080)");
  setting("--public-url", "card.url", "URL",
          "Where clients reach the server, for its agent card (default: as it listens)");
  repeated("--allowed-host", "allowed-hosts",
           "A further host under which clients ask; others are refused (421). May be repeated");
  setting("--data", "data", "DIR", "Where the records are kept (default ./troupe-data)");
  serve.add_option("--config", options.config_file, "A TOML file; see --print-config")
      ->type_name("FILE");
  setting(
      "--store", "store", "memory|rocksdb|session-jsonl",
      "What keeps the records (default rocksdb); memory keeps the newest\nmillion tasks and "
      "100,000 objectives of those that have ended;\nsession-jsonl keeps them as session files");
  setting("--sessions-dir", "sessions.dir", "DIR",
          "Where session files of objectives are kept beside the store (default: nowhere)");
  setting("--durability", "durability", "async|sync",
          "sync: survives power loss; async: survives kill -9 (default sync)");
  setting("--agent", "agent", "NAME",
          "Does plain messages and tasks that name no agent (default echo)");
  setting("--max-parallel", "max-parallel", "N",
          "At most so many tasks of a new objective at once, whatever it asks for");
  setting("--time-scale", "time-scale", "X", "Multiplies the times of agents that only wait");
  setting("--drain-seconds", "drain-seconds", "S",
          "How long to wait for open connections at the end (default 10)");
  setting("--log-level", "log-level", "LEVEL", "debug|info|warn|error|off (default info)");
  setting("--log-format", "log-format", "text|json", "How log lines look (default text)");
  serve.add_flag_callback(
      "--allow-commands", [&options] { options.flags.emplace_back("agents.command", "true"); },
      "Offer the command agent: any client of the server may run programs");
  repeated("--pass-env", "agents.pass-env",
           "A variable of the server that programs get if they ask for it. May be repeated");
  serve.add_flag("--print-config", options.print_config,
                 "Print the effective configuration and exit");
  serve.footer(serve_footer);
}

void add_card(CLI::App& app, card_command_options& options) {
  auto& card = *app.add_subcommand("card", "Print the agent card, or verify one");
  auto* config =
      card.add_option("--config", options.config_file, "The server's TOML file")->type_name("FILE");
  auto* pure = card.add_flag_callback(
      "--pure10", [&options] { options.shape = card_shape::pure_1_0; }, "In the shape of A2A 1.0");
  auto* superset = card.add_flag_callback(
      "--superset", [&options] { options.shape = card_shape::superset; },
      "With the keys of A2A 0.3 besides");
  pure->excludes(superset);
  auto* verify = card.add_option("--verify", options.verify_file,
                                 "Verify this card instead; - reads standard input")
                     ->type_name("FILE");
  auto* key =
      card.add_option("--key", options.key_file, "The public key that must have signed it, in PEM")
          ->type_name("FILE");
  auto* kid = card.add_option("--kid", options.kid, "Only signatures that name their key so")
                  ->type_name("NAME");
  key->needs(verify);
  verify->needs(key);
  kid->needs(verify);
  verify->excludes(config)->excludes(pure)->excludes(superset);
  card.footer(card_footer);
}

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
  if (!out.empty() && out.front() == "help") {
    out.erase(out.begin());
    out.emplace_back("--help");
  }
  std::ranges::reverse(out);
  return out;
}

/// What is wrong with the first word that no command takes, and what was probably meant.
std::string unexpected(const CLI::App& app) {
  const auto* command = &app;
  while (!command->get_subcommands().empty())
    command = command->get_subcommands().front();
  const auto extra = app.remaining(true);
  const std::string word = extra.empty() ? std::string{} : extra.front();
  std::vector<std::string> names;
  const bool is_option = word.starts_with('-');
  if (is_option)
    for (const auto* option : command->get_options())
      for (const auto& name : option->get_lnames())
        names.push_back("--" + name);
  else
    for (const auto* each : command->get_subcommands(nullptr))
      names.push_back(each->get_name());
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const auto guess = did_you_mean(word.substr(0, word.find('=')), candidates);
  if (is_option)
    return "there is no option " + word + guess;
  return names.empty() ? troupe::quoted(word) + " is one word too many"
                       : "there is no command " + troupe::quoted(word) + guess;
}

/// CLI11 says that a required argument is missing; for some it depends on other options.
std::string missing_argument(const CLI::App& app, const run_options& run,
                             const remove_runs_options& remove) {
  if (app.got_subcommand("run") && run.file.empty() && run.purpose == run_purpose::begin)
    return "run: which file? (FILE is required, except with --resume and --retry)";
  if (app.got_subcommand("rm") && remove.runs.empty() && remove.keep.empty())
    return "rm: which runs? (RUN is required, except with --keep; troupe ls lists them)";
  return {};
}

} // namespace

command read_command_line(int argc, const char* const* argv) {
  CLI::App app{overview, "troupe"};
  app.footer(examples);
  app.require_subcommand(0, 1);
  bool version = false;
  app.add_flag("--version,-V", version, "Print the version");
  init_options init;
  auto& begin = *app.add_subcommand("init", "Write a first plan");
  begin.add_option("FILE", init.file, "The file to write, .yaml or .json (default plan.yaml)");
  begin.add_flag("--force", init.replaces, "Replace a file that is there");
  begin.footer(init_footer);
  plan_text_options plan;
  add_plan(app, plan);
  run_options run;
  validate_options validate;
  graph_options graph;
  serve_options serve;
  add_run(app, run);
  list_runs_options list;
  add_list(app, list);
  show_run_options show;
  add_show(app, show);
  run_logs_options logs;
  add_logs(app, logs);
  remove_runs_options remove;
  add_remove(app, remove);
  auto& check = *app.add_subcommand("validate", "Check plan files; run nothing");
  check
      .add_option("FILE", validate.files,
                  "Plan documents or WfFormat 1.5 instances; - reads standard input")
      ->required();
  add_params(check, validate.params);
  check.add_flag("--json", validate.json, "A verdict as one JSON object for each file");
  check.footer(validate_footer);
  auto& draw = *app.add_subcommand("graph", "Draw a plan file");
  draw.add_option("FILE", graph.file,
                  "A plan document or a WfFormat 1.5 instance; - reads standard input")
      ->required();
  add_params(draw, graph.params);
  add_choice(draw, "--format", graph.format, formats, "How to draw it (default text)");
  draw.footer(graph_footer);
  remote_commands remote;
  add_remote_commands(app, remote);
  add_serve(app, serve);
  card_command_options card;
  add_card(app, card);
  store_tool_options store;
  add_store(app, store);
  session_options session;
  add_session(app, session);
  app.add_subcommand("agents", "List the agents and what they do")
      ->footer("Example:\n  troupe agents");
  app.add_subcommand("schema", "Print the JSON Schema of plan documents")->footer(schema_footer);
  app.add_subcommand("version", "Print version, commit, CAF version and compiler")
      ->footer("Example:\n  troupe version");
  app.add_subcommand("help", "Explain a command: troupe help run")
      ->footer("Example:\n  troupe help run")
      ->prefix_command();
  auto words = words_of(argc, argv);
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream err;
    const int code = app.exit(error, out, err);
    if (code == 0)
      return finished{exit_ok, out.str(), {}};
    std::string problem = error.what();
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
      problem = unexpected(app);
    return finished{exit_usage, {}, problem + " (try troupe " + chosen_commands(app) + "--help)"};
  }
  if (version || app.got_subcommand("version"))
    return version_options{};
  if (auto problem = missing_argument(app, run, remove); !problem.empty())
    return finished{exit_usage, {}, std::move(problem)};
  if (auto chosen = chosen_remote(app, remote))
    return std::visit([](auto& each) -> command { return std::move(each); }, *chosen);
  if (app.got_subcommand("init"))
    return init;
  if (app.got_subcommand("plan"))
    return plan;
  if (app.got_subcommand("run"))
    return run;
  if (app.got_subcommand("ls"))
    return list;
  if (app.got_subcommand("show"))
    return show;
  if (app.got_subcommand("logs"))
    return logs;
  if (app.got_subcommand("rm"))
    return remove;
  if (app.got_subcommand("validate"))
    return validate;
  if (app.got_subcommand("graph"))
    return graph;
  if (app.got_subcommand("serve"))
    return serve;
  if (app.got_subcommand("card"))
    return card;
  if (app.got_subcommand("store"))
    return store;
  if (app.got_subcommand("session"))
    return session;
  if (app.got_subcommand("agents"))
    return agents_options{};
  if (app.got_subcommand("schema"))
    return schema_options{};
  std::string names;
  for (const auto* each : std::as_const(app).get_subcommands(nullptr))
    names += (names.empty() ? "" : ", ") + each->get_name();
  return finished{exit_usage, {}, "which command? " + names + " (try troupe --help)"};
}

} // namespace troupe
