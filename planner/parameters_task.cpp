#include "planner/parameters_task.hpp"

#include "protocol/opt/plan_params.hpp"

#include <memory>
#include <utility>

namespace troupe::planner {

namespace json = boost::json;

json::object write_parameters_input(const parameters_input& from) {
  json::object given;
  for (const auto& [name, value] : from.given) {
    const auto* text = value.if_string();
    given[name] = text ? json::value(opt::without_references(*text)) : value;
  }
  json::object out{{"template", from.template_name}};
  if (!given.empty())
    out["params"] = std::move(given);
  if (from.renames)
    out["renames"] = true;
  return out;
}

result<parameters_input> read_parameters_input(const json::object& from) {
  parameters_input out;
  const auto* name = from.if_contains("template");
  if (name == nullptr || !name->is_string() || name->get_string().empty())
    return make_error(errc::invalid_params, "\"template\" must be the name of a template",
                      "/template");
  out.template_name = name->get_string();
  if (const auto* params = from.if_contains("params")) {
    if (!params->is_object())
      return make_error(errc::invalid_params, "\"params\" must be an object", "/params");
    for (const auto& [member, value] : params->get_object())
      out.given.emplace(member, value);
  }
  const auto* renames = from.if_contains("renames");
  out.renames = renames != nullptr && renames->is_bool() && renames->get_bool();
  return out;
}

result<objective_spec> objective_that_asks(const plan_template& from, const given_values& given,
                                           std::string_view name, bool renames) {
  auto values = check_values(from.params, given);
  if (!values)
    return values.error();
  task_spec asking;
  asking.name = "Ask for ";
  for (const auto* each : missing_params(from.params, *values))
    asking.name += (asking.name.ends_with(' ') ? "" : ", ") + each->name;
  asking.description = "Asks for what the template " + from.name + " lacks, and adds its plans";
  asking.agent = parameters_agent_name;
  asking.input = write_parameters_input({from.name, std::move(*values), renames});
  plan_spec plan;
  plan.name = "Parameters";
  plan.tasks.push_back(std::move(asking));
  objective_spec out;
  out.name = name;
  out.plans.push_back(std::make_shared<const plan_spec>(std::move(plan)));
  return out;
}

std::string question_for(const plan_template& from, const given_values& given) {
  const auto missing = missing_params(from.params, given);
  return (from.description.empty() ? from.name : from.description)
         + ". Needed: " + listed_params(missing);
}

} // namespace troupe::planner
