#include "actors/planning/parameters_agent.hpp"

#include "actors/objective/acceptance.hpp"
#include "actors/planning/planned_by_task.hpp"
#include "actors/planning/planning_desk.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/opt/answer_text.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "planner/parameters_task.hpp"

namespace troupe {

namespace {

/// The values that were given before, and those of the answer.
planner::given_values all_values(planner::given_values given, const message& answer,
                                 const boost::json::object& form) {
  const auto value = value_of_answer(answer, form);
  if (const auto* members = value.if_object())
    for (const auto& [name, each] : *members)
      given.insert_or_assign(name, each);
  return given;
}

artifact values_as_artifact(const planner::given_values& values) {
  boost::json::object data;
  for (const auto& [name, value] : values)
    data[name] = value;
  artifact out;
  out.name = "parameters";
  out.parts.push_back(data_part(std::move(data)));
  return out;
}

} // namespace

start_result parameters_agent::start(const order_ptr& order, const agent_port_ptr& port) {
  const auto input = planner::read_parameters_input(order->input.resolve());
  if (!input)
    return report_failed{input.error().message, false};
  const auto templates = to_.planning().templates();
  const auto from =
      std::ranges::find(*templates, input->template_name, &planner::plan_template::name);
  if (from == templates->end())
    return report_failed{
        "there is no template " + troupe::quoted(shown(input->template_name)) + " any more", false};
  if (planner::missing_params(from->params, input->given).empty())
    return report_failed{"the template lacks nothing that could be asked for", false};
  const auto form = planner::form_of(from->params, input->given);
  const auto ask = [&](const std::string& problem) {
    report_question asked;
    asked.prompt = problem + planner::question_for(*from, input->given);
    asked.form = form;
    return asked;
  };
  if (order->messages.empty())
    return ask({});
  const auto values = all_values(input->given, *order->messages.back(), form);
  auto made = planner::fill_template(*from, values, order->objective_name);
  if (made)
    if (const auto ok = check_new_objective(*made, to_.agents()); !ok)
      made = ok.error();
  // The values may fit the form and still have a wrong name in them. Then the question is asked
  // again.
  if (!made)
    return ask("The answer cannot be used: " + made.error().message + ". ");
  add_plans(to_, *order,
            {*made,
             input->renames,
             {{"who", planner::to_string(planner::decider::plan_template)},
              {"template", input->template_name}},
             "the parameters of the template " + from->name + " were given",
             {values_as_artifact(values)}},
            port);
  return std::make_unique<agent_run>();
}

result<void> parameters_agent::check_input(const boost::json::object& input) const {
  if (const auto read = planner::read_parameters_input(input); !read)
    return read.error();
  return {};
}

std::string parameters_agent::description() const {
  return "Asks for the parameters of a template";
}

} // namespace troupe
