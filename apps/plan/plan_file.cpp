#include "apps/plan/plan_file.hpp"

#include "actors/objective/acceptance.hpp"
#include "apps/delegation_setup.hpp"
#include "apps/model_setup.hpp"
#include "apps/plan/yaml.hpp"
#include "apps/terminal/shown_name.hpp"
#include "apps/text_file.hpp"
#include "protocol/json/json_text.hpp"
#include "protocol/json/quoted.hpp"
#include <troupe/agents/register_builtin.hpp>
#include <troupe/protocol/unshared.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

namespace troupe {

namespace {

std::size_t line_in(const plan_file& file, std::string_view pointer) {
  return file.is_yaml ? line_of_yaml(file.text, pointer) : line_of(file.text, pointer);
}

result<plan_document> read_document(const plan_file& file) {
  if (!file.is_yaml)
    return read_plan_document(file.text);
  auto document = read_yaml(file.text);
  if (!document)
    return document.error();
  return read_plan_document(std::move(*document),
                            [&file](std::string_view pointer) { return line_in(file, pointer); });
}

/// To `env` of a command's input, unless that is a reference.
void add_variables(const boost::json::object& variables, boost::json::object& input) {
  if (variables.empty())
    return;
  auto& env = input.emplace("env", boost::json::object{}).first->value();
  auto* own = env.if_object();
  for (const auto& [name, value] : variables)
    if (own != nullptr && !own->contains(name))
      own->emplace(name, text_of_value(value));
}

} // namespace

bool says_yaml(const std::string& path, std::string_view text) {
  const auto ending = std::filesystem::path(path).extension();
  if (ending == ".yaml" || ending == ".yml")
    return true;
  const auto first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  return ending != ".json" && first != std::string_view::npos && text[first] != '{';
}

error locate(const plan_file& file, error why) {
  constexpr std::string_view only_plan = "/plans/0";
  std::string place;
  if (file.is_bare_plan && why.field.starts_with(only_plan))
    why.field.erase(0, only_plan.size());
  for (std::string_view at = why.field; at.starts_with('/') && place.empty();
       at = at.substr(0, at.rfind('/')))
    if (const auto line = line_in(file, at); line > 0)
      place = "line " + std::to_string(line) + " (" + why.field + "): ";
  why.message = file.name + ": " + place + why.message;
  return why;
}

result<plan_file> read_plan_file(const std::string& path, const param_values& params) {
  plan_file out;
  out.name = name_of_file(path);
  auto text = read_text(path, plan_file_bytes_max);
  if (!text)
    return text.error();
  out.text = std::move(*text);
  out.is_yaml = says_yaml(path, out.text);
  auto document = read_document(out);
  if (!document) {
    error why = document.error();
    why.message = out.name + ": " + why.message;
    return why;
  }
  out.is_bare_plan = document->is_bare_plan;
  if (auto filled = fill_params(*document, params); !filled)
    return locate(out, filled.error());
  out.objective = std::move(document->objective);
  out.env = std::move(document->env);
  return out;
}

result<resolved_objective> check_plan_file(const plan_file& file, const agent_registry& agents) {
  const auto& plans = file.objective.plans;
  if (plans.empty())
    return make_error(errc::invalid_document,
                      file.name + ": the objective has no plans, so it would never end");
  for (std::size_t p = 0; p < plans.size(); ++p)
    if (plans[p]->tasks.empty())
      return locate(file, make_error(errc::invalid_document,
                                     "plan " + troupe::quoted(shown_name(*plans[p], p))
                                         + " has no tasks, so it would never end",
                                     "/plans/" + std::to_string(p) + "/tasks"));
  auto edges = check_objective(plans, agents);
  if (!edges)
    return locate(file, edges.error());
  return edges;
}

result<checked_file> read_and_check(const std::string& path, const param_values& params) {
  agent_registry agents;
  register_own_agents(agents);
  auto file = read_plan_file(path, params);
  if (!file)
    return file.error();
  auto edges = check_plan_file(*file, agents);
  if (!edges)
    return edges.error();
  return checked_file{std::move(*file), std::move(*edges)};
}

void make_ids_local(objective_spec& spec) {
  spec.id = {};
  for (auto& plan : spec.plans) {
    auto& own = unshared(plan); // it has no other owner: it was just read
    own.id = {};
    for (std::size_t t = 0; t < own.tasks.size(); ++t)
      own.tasks.edit(t).id = {};
  }
}

void place_commands(plan_file& file, const std::string& path, const agent_registry& agents) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const auto here = fs::absolute(path == "-" ? fs::path("plan") : fs::path(path), failed);
  const auto is_command = [&](const task_spec& task) {
    return agents.name_or_default(task.agent) == "command";
  };
  const auto has_place = [&](const task_spec& task) {
    const auto* cwd = task.input.if_contains("cwd");
    return !failed // else programs will say that there is no such directory
           && cwd != nullptr && cwd->is_string() && !cwd->get_string().empty()
           && !cwd->get_string().starts_with('/')
           && std::string_view(cwd->get_string()).find("${") == std::string_view::npos;
  };
  const auto is_meant = [&](const task_spec& task) {
    return is_command(task) && (has_place(task) || !file.env.empty());
  };
  for (auto& plan : file.objective.plans) {
    if (std::ranges::none_of(plan->tasks, is_meant))
      continue;
    auto& own = unshared(plan);
    for (std::size_t t = 0; t < own.tasks.size(); ++t) {
      if (!is_meant(own.tasks[t]))
        continue;
      auto& input = own.tasks.edit(t).input;
      if (has_place(own.tasks[t])) {
        auto& cwd = input.at("cwd").as_string();
        cwd = (here.parent_path() / std::string_view(cwd)).lexically_normal().string();
      }
      add_variables(file.env, input);
    }
  }
}

void pass_variables(plan_file& file) {
  if (file.env.empty())
    return;
  const auto is_command = [](const task_spec& task) { return task.agent == "command"; };
  for (auto& plan : file.objective.plans) {
    if (std::ranges::none_of(plan->tasks, is_command))
      continue;
    auto& own = unshared(plan);
    for (std::size_t t = 0; t < own.tasks.size(); ++t)
      if (is_command(own.tasks[t]))
        add_variables(file.env, own.tasks.edit(t).input);
  }
}

void register_own_agents(agent_registry& into, std::shared_ptr<program_log> log,
                         std::uint32_t commands_max) {
  builtin_agent_options options;
  options.command->variables_passed = {"*"};
  options.command->adopts_orphans = true;
  options.command->log = std::move(log);
  options.command->parallel_max = commands_max;
  register_builtin_agents(into, options);
  register_own_delegation(into);
  register_own_llm(into);
}

} // namespace troupe
