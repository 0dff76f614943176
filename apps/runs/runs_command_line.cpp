#include "apps/runs/runs_command_line.hpp"

#include "apps/flag_choices.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <limits>
#include <map>
#include <string>

namespace troupe {

namespace {

constexpr const char* run_footer = R"(Examples:
  troupe run scenarios/blog-post.json
  troupe run workflow.json --time-scale 0.01 --max-parallel 8
  troupe run trip.json --answer "Choose a flight=the early one" --no-input
  troupe run build.yaml --only test        that task, and what it needs
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

constexpr std::uint32_t jobs_max = 10'000; ///< Each takes a process and three descriptors.

const std::map<std::string, store_kind> store_kinds{{"memory", store_kind::memory},
                                                    {"rocksdb", store_kind::rocksdb}};
const std::map<std::string, durability> durabilities{{"sync", durability::sync},
                                                     {"async", durability::async}};

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
      ->check(whole_number(1, std::numeric_limits<std::uint32_t>::max()));
  run.add_option("-j,--jobs", options.commands_max,
                 "At most so many commands at once (default: one for each core)")
      ->type_name("N")
      ->check(whole_number(1, jobs_max));
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
      "in the newest such run, of FILE, or the one of that id; of FILE\n"
      "also what was changed there since, of what has not completed");
  retry->excludes(resume);
  run.add_option("--keep", options.keep,
                 "Remove older runs at the end: 100 keeps so many, 30d those of so many days")
      ->type_name("N|Nd");
  run.add_option("--agent", options.agent, "Does the tasks that name no agent")->type_name("NAME");
  add_params(run, options.params);
  add_pairs(run, "--answer", options.answers, "KEY=TEXT",
            "KEY=TEXT (KEY: a task's id or name in the file)",
            "Answers a task's question, once; may be repeated");
  run.add_option("--only", options.only,
                 "Only this task, by its id or name in the file, with all that it needs;\n"
                 "may be repeated")
      ->type_name("TASK")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all()
      ->excludes(resume);
  run.add_flag("--dry-run", options.dry_run, "Say what would begin when; run nothing")
      ->excludes(resume)
      ->excludes(retry);
  add_timing_files(run, options.timing);
  add_output(run, options.output, options.output_directory);
  run.add_flag("--no-input", options.no_input, "Never ask at the prompt");
  add_colour(run, options.colour);
  run.footer(run_footer);
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
  add_server(remove, options.server);
  remove.footer(
      std::string(remove_footer)
      + "RUN is the id of a run, the beginning of an id, or @last for the newest one. A run "
        "in a directory of your\nown (--data) goes with the directory.");
}

} // namespace

void add_runs_commands(CLI::App& app, runs_commands& to) {
  add_run(app, to.run);
  add_list(app, to.list);
  add_show(app, to.show);
  add_logs(app, to.logs);
  add_remove(app, to.remove);
}

} // namespace troupe
