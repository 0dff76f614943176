#include "actors/service/objective_of_message.hpp"

#include "protocol/json/quoted.hpp"
#include <troupe/protocol/message.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace troupe {

namespace {

/// The plan of a client that brings none: one task for the default agent, what the message says.
/// None if it says nothing.
std::optional<plan_spec> plan_of_text(const std::string& text) {
  if (text.empty())
    return std::nullopt;
  task_spec only;
  only.description = text;
  only.name = shown(text);
  plan_spec plan;
  plan.name = only.name;
  plan.tasks.push_back(std::move(only));
  return plan;
}

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

/// A plan's task is given a text, and refers to what its objective refers to.
bool is_plain_text(const message& sent) {
  return sent.reference_task_ids.empty() && std::ranges::all_of(sent.parts, [](const part& piece) {
           return std::holds_alternative<text_content>(piece.content);
         });
}

} // namespace

std::optional<create_plan> plan_of_message(send_request& request) {
  const auto& sent = request.command;
  auto* wish = request.objective.get();
  if (wish && wish->objective)
    return std::nullopt;
  std::optional<plan_spec> plan;
  if (wish && wish->plan)
    plan = std::move(*wish->plan);
  else if (is_plain_text(sent.message))
    plan = plan_of_text(text_of(sent.message.parts));
  if (!plan)
    return std::nullopt;
  create_plan out{sent.who, objective_id{sent.message.context_id}, std::move(*plan), true, true};
  out.conditions = sent.conditions;
  return out;
}

result<create_objective> objective_of_message(send_request& request) {
  auto& wish = *request.objective;
  const auto& sent = request.command;
  create_objective out;
  out.who = sent.who;
  out.request = std::make_shared<const message>(sent.message);
  out.accepted_output_modes = sent.accepted_output_modes;
  out.traceparent = sent.traceparent;
  out.tracestate = sent.tracestate;
  out.conditions = sent.conditions;
  out.start = true;
  if (wish.objective)
    out.spec = std::move(*wish.objective);
  if (wish.plan)
    out.spec.plans.push_back(std::make_shared<const plan_spec>(std::move(*wish.plan)));
  const auto text = text_of(sent.message.parts);
  if (out.spec.name.empty())
    out.spec.name = wish.name.empty() ? shown(text) : wish.name;
  if (out.spec.plans.empty())
    if (auto only = plan_of_text(text))
      out.spec.plans.push_back(std::make_shared<const plan_spec>(std::move(*only)));
  if (auto joined = join_context(out.spec, sent.message.context_id); !joined)
    return joined.error();
  return out;
}

} // namespace troupe
