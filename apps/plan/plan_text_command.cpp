#include "apps/plan/plan_text_command.hpp"

#include "apps/named_planner.hpp"
#include "apps/options.hpp"
#include "apps/plan/plan_file.hpp"
#include "apps/plan/template_files.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/text.hpp"
#include "apps/text_file.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "protocol/text/text.hpp"
#include <troupe/protocol/plan_document.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "planner/as_text.hpp"
#include "planner/duration.hpp"
#include "planner/limits.hpp"

namespace troupe {

namespace {

bool is_file(const std::string& input) {
  std::error_code failed;
  return input == "-" || std::filesystem::exists(input, failed);
}

/// A word alone is the name of a file, also if the file is not there.
bool is_text(const std::string& input) {
  return !is_file(input) && input.find_first_of(" \t\n") != std::string::npos;
}

bool is_plan_document(const std::string& path, std::string_view text) {
  const auto ending = std::filesystem::path(path).extension();
  return ending == ".json" || ending == ".yaml" || ending == ".yml"
         || text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size())).starts_with('{');
}

result<objective_spec> document_of(const std::string& path, std::string_view text) {
  if (path == "-" || is_text(path)) {
    auto read = read_plan_document(text);
    return read ? result<objective_spec>(std::move(read->objective)) : read.error();
  }
  auto read = read_plan_file(path);
  return read ? result<objective_spec>(std::move(read->objective)) : read.error();
}

std::string label_of(const planner::text_reading& reading, std::uint32_t task) {
  const auto& label = reading.tasks[task].label;
  return label.empty() ? std::to_string(task + 1) : label;
}

std::string lines_of_tasks(const planner::text_reading& reading) {
  std::string out = "tasks:\n";
  for (std::uint32_t i = 0; i < reading.tasks.size(); ++i) {
    const auto& task = reading.tasks[i];
    out += "  " + label_of(reading, i) + ". " + task.name;
    if (task.expected.count() > 0)
      out += " (" + planner::duration_text(task.expected) + ")";
    out += '\n';
  }
  if (!reading.edges.empty())
    out += "dependencies:\n";
  for (const auto& edge : reading.edges)
    out += "  " + label_of(reading, edge.before) + " -> " + label_of(reading, edge.after) + "  "
           + troupe::quoted(reading.sources[edge.source]) + '\n';
  return out;
}

/// Of a template or a model.
std::string lines_of_plans(const objective_spec& objective) {
  std::string out = "plans:\n";
  for (std::size_t i = 0; i < objective.plans.size(); ++i) {
    const auto& plan = *objective.plans[i];
    out += "  plan-" + std::to_string(i) + " " + plan.name;
    if (!plan.dependencies.empty())
      out += " (after " + listed_names(plan.dependencies) + ")";
    out += '\n';
    for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
      const auto& task = plan.tasks[t];
      out += "    task-" + std::to_string(t) + " " + task.name;
      if (!task.dependencies.empty())
        out += " (after " + listed_names(task.dependencies) + ")";
      out += '\n';
    }
  }
  return out;
}

/// The objective, or why there is none.
result<objective_spec> objective_from(const planner::verdict& made) {
  if (made.objective) {
    auto out = *made.objective;
    out.metadata[planner::planner_key] = planner::note_of(made);
    return out;
  }
  return make_error(errc::invalid_params, made.problems.empty()
                                              ? "it is no plan: " + made.reasons.back()
                                              : troupe::quoted(shown(made.problems.front().text))
                                                    + ": " + made.problems.front().reason);
}

int say_text(const result<objective_spec>& objective) {
  if (!objective) {
    complain(objective.error().message);
    return exit_failed;
  }
  const auto text = planner::as_text(*objective);
  if (!text) {
    complain(text.error().message);
    return exit_failed;
  }
  return exit_code_of(exit_ok, say(*text));
}

int say_json(const result<objective_spec>& objective) {
  if (!objective) {
    say_json_error(objective.error());
    complain(objective.error().message);
    return exit_failed;
  }
  std::string line;
  json_writer out(line);
  opt::write_spec(out, *objective);
  return exit_code_of(exit_ok, say(line + "\n"));
}

} // namespace

std::string plan_explanation(const planner::text_reading& reading, const planner::verdict& made) {
  const bool is_from_model = made.who == planner::decider::model;
  const bool is_from_template = made.who == planner::decider::plan_template && made.objective;
  std::string out;
  if (made.objective)
    out += "objective: " + made.objective->name + '\n';
  if (made.objective && (is_from_template || is_from_model))
    out += lines_of_plans(*made.objective);
  else if (!reading.tasks.empty())
    out += lines_of_tasks(reading);
  if (!is_from_template) {
    const auto& assumed = is_from_model ? made.assumptions : reading.assumptions;
    if (!assumed.empty())
      out += "assumed:\n";
    for (const auto& each : assumed)
      out += "  " + each + '\n';
    if (!reading.problems.empty())
      out += "not understood:\n";
    for (const auto& each : reading.problems)
      out += "  " + troupe::quoted(each.text) + ": " + each.reason + '\n';
  }
  out += "verdict: " + std::string(planner::to_string(made.outcome)) + " ("
         + std::string(planner::to_string(made.who)) + ")\n";
  for (const auto& each : made.reasons)
    out += "  " + each + '\n';
  return out;
}

int plan_text_command(const plan_text_options& options) {
  auto text =
      is_text(options.input) ? result<std::string>(options.input) : read_text(options.input);
  if (!text) {
    complain(text.error().message);
    return exit_usage;
  }
  if (options.as_text && is_plan_document(options.input, *text)) {
    const auto document = document_of(options.input, *text);
    if (!document)
      complain(document.error().message);
    return document ? say_text(*document) : exit_usage;
  }
  planner::planning_request request;
  request.text = *text;
  request.is_active = true;
  request.template_name = options.template_name;
  if (options.prefers_objective)
    request.prefers_objective = true;
  for (const auto& [name, value] : options.params)
    request.params.emplace(name, boost::json::value(value));
  const auto templates = templates_with(options.directory);
  if (!templates) {
    complain(templates.error().message);
    return exit_usage;
  }
  const auto by = planner_named(options.planner);
  if (!by) {
    complain(by.error().message);
    return exit_usage;
  }
  if (!by->templates && !options.template_name.empty()) {
    complain("--template: the planner " + options.planner
             + " takes no template; leave out --planner or --template");
    return exit_usage;
  }
  planner::planning_settings settings;
  if (by->templates)
    settings.templates = **templates;
  settings.has_grammar = by->grammar;
  settings.has_model = by->model.has_value();
  auto made = planner::decide(request, settings);
  if (!made) {
    complain(made.error().message);
    return exit_usage;
  }
  if (made->outcome == planner::decision::ask_model)
    ask_model(*by->model, request, *made);
  if (options.as_text)
    return say_text(objective_from(*made));
  if (options.json)
    return say_json(objective_from(*made));
  const auto rule = options.prefers_objective ? planner::guesses::allowed : planner::guesses::none;
  const auto reading = by->grammar ? planner::read_text(*text, rule) : planner::text_reading{};
  const bool written = say(plan_explanation(reading, *made));
  return exit_code_of(made->objective ? exit_ok : exit_failed, written);
}

} // namespace troupe
