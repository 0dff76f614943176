#include "apps/plan/plan_command_line.hpp"

#include "apps/flag_choices.hpp"

#include <CLI/CLI.hpp>

#include <map>
#include <string>

namespace troupe {

namespace {

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

constexpr const char* templates_footer = R"(Examples:
  troupe templates ls
  troupe templates ls --server http://127.0.0.1:8080
  troupe templates show birthday-party > templates/party.json
  troupe templates check templates/

A server has those of its directory planner.templates, too, and reads it again on SIGHUP (docs/planner.md).

Exit codes: 0 done, 1 there is no such template, 2 wrong usage or a file that is no template.)";

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
  troupe graph --run @last                 the plan of a run, with how long its tasks took
  troupe graph --run @last --server prod   of the newest objective of a server
  troupe graph plan.json --format dot | dot -Tpdf > plan.pdf
  troupe graph plan.json --format svg > plan.svg

The longest chain of tasks (the critical path) is marked: by the times of the run, else by expectedSeconds, if a
task has it, else by the number of tasks.)";

const std::map<std::string, graph_format> formats{{"text", graph_format::text},
                                                  {"dot", graph_format::dot},
                                                  {"svg", graph_format::svg},
                                                  {"mermaid", graph_format::mermaid}};

void add_plan_command(CLI::App& app, plan_text_options& options) {
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
  plan.add_option("--planner", options.planner,
                  "Who reads it: templates, grammar, or a model of the configuration file\n"
                  "(default: the first two, one after the other)")
      ->type_name("NAME");
  plan.add_option("--template", options.template_name, "Take this template")->type_name("NAME");
  plan.add_option("--templates", options.directory, "Templates beside those of the program")
      ->type_name("DIR");
  add_params(plan, options.params);
  plan.footer(plan_footer);
}

void add_templates(CLI::App& app, templates_options& options) {
  auto& templates =
      *app.add_subcommand("templates", "List, show and check templates, which make plans of texts");
  templates.require_subcommand(1);
  templates.footer(templates_footer);
  const auto add = [&](const char* name, templates_tool tool, const char* help) {
    auto& out = *templates.add_subcommand(name, help);
    out.callback([&options, tool] { options.tool = tool; });
    out.footer(templates_footer);
    return &out;
  };
  const auto add_directory = [&](CLI::App& to) {
    return to.add_option("--dir", options.directory, "Also the templates of this directory")
        ->type_name("DIR");
  };
  auto& list = *add("ls", templates_tool::list, "List the templates");
  auto* directory = add_directory(list);
  list.add_option("--server", options.server, "Those of this server, as its agent card says")
      ->type_name("NAME|URL")
      ->excludes(directory);
  add_format(list, options.format);
  add_colour(list, options.colour);
  auto& show = *add("show", templates_tool::show, "Print a template as JSON");
  show.add_option("NAME", options.name, "Its name")->required();
  add_directory(show);
  add("check", templates_tool::check, "Say whether files are templates that a server takes")
      ->add_option("FILE", options.files, "Files, or directories of *.json")
      ->required();
}

} // namespace

void add_plan_commands(CLI::App& app, plan_commands& to) {
  auto& init = *app.add_subcommand("init", "Write a first plan");
  init.add_option("FILE", to.init.file, "The file to write, .yaml or .json (default plan.yaml)");
  init.add_flag("--force", to.init.replaces, "Replace a file that is there");
  init.footer(init_footer);

  add_plan_command(app, to.plan);
  add_templates(app, to.templates);

  auto& validate = *app.add_subcommand("validate", "Check plan files; run nothing");
  validate
      .add_option("FILE", to.validate.files,
                  "Plan documents or WfFormat 1.5 instances; - reads standard input")
      ->required();
  add_params(validate, to.validate.params);
  validate.add_flag("--json", to.validate.json, "A verdict as one JSON object for each file");
  validate.footer(validate_footer);

  auto& graph = *app.add_subcommand("graph", "Draw a plan file, or the plan of a run");
  auto* file =
      graph.add_option("FILE", to.graph.file,
                       "A plan document or a WfFormat 1.5 instance; - reads standard input.\n"
                       "Without it, --run says which plan");
  add_params(graph, to.graph.params);
  auto* run =
      graph
          .add_option("--run", to.graph.run,
                      "A run, or an objective of a server, whose times are shown: its id, the "
                      "beginning of it, or @last")
          ->type_name("RUN")
          ->excludes(file);
  add_server(graph, to.graph.server);
  graph.get_option("--server")->needs(run);
  add_choice(graph, "--format", to.graph.format, formats, "How to draw it (default text)");
  graph.footer(graph_footer);

  app.add_subcommand("schema", "Print the JSON Schema of plan documents")->footer(schema_footer);
}

} // namespace troupe
