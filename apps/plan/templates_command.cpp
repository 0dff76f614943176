#include "apps/plan/templates_command.hpp"

#include "actors/planning/template_check.hpp"
#include "apps/plan/plan_file.hpp"
#include "apps/plan/template_files.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/text_table.hpp"
#include "apps/text_file.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/near_name.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>

#include "planner/shipped_texts.hpp"

namespace troupe {

namespace {

int list_templates(const templates_options& options) {
  const auto all = templates_with(options.directory);
  if (!all) {
    complain(all.error().message);
    return exit_usage;
  }
  std::vector<listed_template> rows;
  for (const auto& each : **all)
    rows.push_back({each.name, each.examples.empty() ? std::string{} : each.examples.front(),
                    each.description});
  const auto text =
      draw_templates(rows, options.format, stdout_width(), stdout_colour(options.colour));
  return say(text) ? exit_ok : exit_failed;
}

/// The document as it is written.
int show_template(const templates_options& options) {
  auto texts = read_template_files(options.directory);
  if (!texts) {
    complain(texts.error().message);
    return exit_usage;
  }
  for (const auto text : planner::shipped_template_texts())
    texts->push_back({std::string(text), {}});
  std::vector<std::string> names;
  for (const auto& each : *texts) {
    const auto read = planner::read_template(each.json, each.from);
    if (!read) {
      complain(read.error().message);
      return exit_usage;
    }
    if (read->name == options.name)
      return say(each.json) ? exit_ok : exit_failed;
    names.push_back(read->name);
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  complain("there is no template " + troupe::quoted(options.name)
           + did_you_mean(options.name, known));
  return exit_failed;
}

/// The files that a person names, and those of the directories among them.
result<std::vector<template_text>> named_texts(const std::vector<std::string>& paths) {
  std::vector<template_text> out;
  for (const auto& path : paths) {
    std::error_code failed;
    if (!std::filesystem::is_directory(path, failed)) {
      auto text = read_text(path);
      if (!text)
        return text.error();
      out.push_back({std::move(*text), name_of_file(path)});
      continue;
    }
    auto texts = read_template_files(path);
    if (!texts)
      return texts.error();
    std::ranges::move(*texts, std::back_inserter(out));
  }
  return out;
}

/// Says of each file whether it is a template, and of all whether a server takes them together.
int check_templates(const templates_options& options) {
  auto texts = named_texts(options.files);
  if (!texts) {
    complain(texts.error().message);
    return exit_usage;
  }
  int code = exit_ok;
  std::string out;
  for (const auto& each : *texts) {
    const auto read = planner::read_template(each.json, each.from);
    if (read) {
      out += clean_line(each.from + ": template " + read->name) + "\n";
      continue;
    }
    complain(read.error().message);
    code = exit_usage;
  }
  planning_options all;
  all.templates = std::move(*texts);
  if (code == exit_ok) {
    agent_registry agents;
    register_own_agents(agents);
    const auto together = read_templates(all);
    if (const auto fine = together ? check_templates(*together, agents) : together.error(); !fine) {
      complain(fine.error().message);
      code = exit_usage;
    }
  }
  return exit_code_of(code, say(out));
}

} // namespace

std::string draw_templates(const std::vector<listed_template>& all, list_format format,
                           std::size_t width, bool colour) {
  std::string out;
  for (const auto& each : all)
    if (format == list_format::name) {
      out += clean_line(each.name) + "\n";
    } else if (format == list_format::json) {
      json_writer line(out);
      line.begin_object().member("name", each.name).member("example", each.example);
      line.member("description", each.description).end_object();
      out += "\n";
    }
  if (format == list_format::name || format == list_format::json)
    return out;
  text_table table{{"TEMPLATE", "EXAMPLE", "DESCRIPTION"}, {}};
  for (const auto& each : all)
    table.rows.push_back({{each.name}, {each.example}, {each.description}});
  return draw_table(
      table, format == list_format::wide ? std::numeric_limits<std::size_t>::max() : width, colour);
}

int templates_command(const templates_options& options) {
  switch (options.tool) {
    case templates_tool::list: return list_templates(options);
    case templates_tool::show: return show_template(options);
    case templates_tool::check: return check_templates(options);
  }
  return exit_usage;
}

} // namespace troupe
