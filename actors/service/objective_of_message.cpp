#include "actors/service/objective_of_message.hpp"

#include "actors/planning/planned_objective.hpp"
#include "protocol/json/quoted.hpp"
#include <troupe/protocol/message.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace troupe {

namespace {

/// The context a message brings becomes the objective: to OPT the two ids are one. If they differ,
/// it is not known which is meant.
result<void> join_context(objective_spec& spec, const std::string& context) {
  if (context.empty() || context == spec.id.str())
    return {};
  if (!spec.id.empty())
    return make_error(errc::invalid_params,
                      "message.contextId: " + troupe::quoted(shown(context))
                          + " is not the id of the objective in the message, "
                          + troupe::quoted(shown(spec.id.str()))
                          + "; the two ids must be equal: omit one",
                      "message.contextId");
  spec.id = objective_id(context);
  return {};
}

/// Without a spec.
create_objective command_of(const send_message& sent) {
  create_objective out;
  out.who = sent.who;
  out.request = std::make_shared<const message>(sent.message);
  out.accepted_output_modes = sent.accepted_output_modes;
  out.traceparent = sent.traceparent;
  out.tracestate = sent.tracestate;
  out.conditions = sent.conditions;
  return out;
}

/// A plan's task is given a text, and refers to what its objective refers to.
bool is_plain_text(const message& sent) {
  return sent.reference_task_ids.empty() && std::ranges::all_of(sent.parts, [](const part& piece) {
           return std::holds_alternative<text_content>(piece.content);
         });
}

bool has_no_task(const objective_spec& spec) {
  return std::ranges::all_of(spec.plans, [](const auto& plan) { return plan->tasks.empty(); });
}

} // namespace

std::optional<create_plan> plan_of_message(send_request& request) {
  const auto& sent = request.command;
  auto* wish = request.objective.get();
  if (wish && wish->objective)
    return std::nullopt;
  std::optional<plan_spec> plan;
  const bool brings_plan = wish && wish->plan;
  if (brings_plan)
    plan = std::move(*wish->plan);
  else if (is_plain_text(sent.message))
    plan = plan_of_text(text_of(sent.message.parts));
  if (!plan || (plan->tasks.empty() && !brings_plan))
    return std::nullopt;
  create_plan out{sent.who, objective_id{sent.message.context_id}, std::move(*plan), true, true};
  out.conditions = sent.conditions;
  return out;
}

create_objective objective_to_plan(const send_request& request) {
  auto out = command_of(request.command);
  const auto& name = request.planning->name;
  out.spec.name =
      name.empty() ? planner::name_of_text(text_of(request.command.message.parts)) : name;
  return out;
}

result<create_objective> objective_of_message(send_request& request) {
  objective_wish none;
  auto& wish = request.objective ? *request.objective : none;
  const auto& sent = request.command;
  auto out = command_of(sent);
  out.start = true;
  if (wish.objective)
    out.spec = std::move(*wish.objective);
  const auto text = text_of(sent.message.parts);
  if (wish.plan) {
    if (wish.plan->tasks.empty())
      wish.plan->tasks = plan_of_text(text).tasks;
    out.spec.plans.push_back(std::make_shared<const plan_spec>(std::move(*wish.plan)));
  }
  const auto* planned = out.spec.plans.empty() && request.planned && request.planned->made.objective
                            ? &*request.planned->made.objective
                            : nullptr;
  if (planned) {
    out.spec.plans = planned->plans;
    out.spec.metadata[planner::planner_key] = request.planned->note();
    if (out.spec.name.empty())
      out.spec.name = planned->name;
    if (out.spec.description.empty())
      out.spec.description = planned->description;
    if (out.spec.parallel_max == 0)
      out.spec.parallel_max = planned->parallel_max;
  }
  if (out.spec.name.empty())
    out.spec.name = wish.name.empty() ? planner::name_of_text(text) : wish.name;
  if (out.spec.plans.empty())
    if (auto only = plan_of_text(text); !only.tasks.empty())
      out.spec.plans.push_back(std::make_shared<const plan_spec>(std::move(only)));
  if (!out.spec.plans.empty() && has_no_task(out.spec))
    return make_error(
        errc::invalid_params,
        "the objective in the message has no task, so it would never end; give it one, "
        "or make it with objectives/create",
        "message.metadata");
  if (auto joined = join_context(out.spec, sent.message.context_id); !joined)
    return joined.error();
  return out;
}

error refers_to_tasks() {
  return make_error(errc::invalid_params,
                    "message.referenceTaskIds: a plan that joins an objective refers to the "
                    "tasks that its objective refers to, and to no others",
                    "message.referenceTaskIds");
}

} // namespace troupe
