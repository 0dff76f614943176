#include "actors/planning/parameters_agent.hpp"

#include "actors/planning/planning_desk.hpp"
#include "actors/planning/replacement.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/opt/answer_text.hpp"
#include "protocol/owner_parts.hpp"
#include <troupe/protocol/command.hpp>

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

/// Of the note of the plans: the task that asked.
constexpr const char* asked_by = "askedBy";

/// Whether its plans were added before: the process may have ended between that and its own end.
bool has_added(const objective_view& now, const task_id& asking) {
  return std::ranges::any_of(now.plans, [&](const plan_view& plan) {
    const auto* note = plan.spec->metadata.if_contains(planner::planner_key);
    const auto* members = note ? note->if_object() : nullptr;
    const auto* by = members ? members->if_contains(asked_by) : nullptr;
    return by != nullptr && by->is_string() && by->get_string() == asking.str();
  });
}

/// What the objective is to become. Its own name is that of the template, if `input` says so.
std::vector<wanted_objective_operation> operations_for(const objective_spec& made,
                                                       const planner::parameters_input& input,
                                                       const task_id& asking) {
  std::vector<wanted_objective_operation> out;
  edits edited;
  if (input.renames) {
    edited.name = made.name;
    edited.description = made.description;
  }
  if (!edited.empty())
    out.emplace_back(edit_objective{std::move(edited)});
  const boost::json::object note{{"who", planner::to_string(planner::decider::plan_template)},
                                 {"template", input.template_name},
                                 {asked_by, asking.str()}};
  for (auto& plan : plans_as_operations(made)) {
    plan.start = true; // Also if the plans of the objective are started one by one.
    out.emplace_back(std::move(plan));
  }
  return with_note(out, note);
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
  if (order->messages.empty()) {
    report_question asked;
    asked.prompt = planner::question_for(*from, input->given);
    asked.form = form;
    return asked;
  }
  const auto values = all_values(input->given, *order->messages.back(), form);
  const auto made = planner::fill_template(*from, values, order->objective_name);
  if (!made)
    return report_failed{made.error().message, false};
  modify_objective change;
  change.id = objective_id{order->context};
  change.operations = operations_for(*made, *input, order->id);
  change.reason = "the parameters of the template " + from->name + " were given";
  change.author = planner_author;
  to_.records().read_objective(
      change.id, [&to = to_, change, port, asking = order->id,
                  done = values_as_artifact(values)](const result<objective_ptr>& now) mutable {
        if (!now)
          return port->report(report_failed{now.error().message});
        if (has_added(**now, asking))
          return port->report(report_completed{{done}, "the plans were added before"});
        change.who = principal_of((*now)->owner);
        to.change(std::move(change), [port, done](const result<change_report>& added) {
          if (added)
            port->report(report_completed{{done}, "the plans were added"});
          else
            port->report(report_failed{added.error().message, false});
        });
      });
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
