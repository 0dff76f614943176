#include "net/a2a/send_reading.hpp"

#include "net/a2a/idempotency_key.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "protocol/opt/given_answers.hpp"
#include "protocol/opt/hitl.hpp"
#include "protocol/opt/limits_opt.hpp"
#include "protocol/text/control_characters.hpp"
#include <troupe/protocol/task_life.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::net {

namespace {

/// In the message's metadata, else in the request's.
const boost::json::value* find_member(const send_message& in, std::string_view key) {
  if (const auto* found = in.message.metadata.if_contains(key))
    return found;
  return in.metadata.if_contains(key);
}

error is_wrong(std::string_view key, std::string_view expected) {
  return make_error(errc::invalid_params, std::string(key) + " must be " + std::string(expected),
                    "message.metadata");
}

/// The name that an objective is to have; empty if none is suggested.
result<std::string> read_suggested_name(const send_message& in) {
  constexpr std::string_view key = "opt/v1/suggestedName";
  const auto* name = find_member(in, key);
  if (name == nullptr)
    return std::string{};
  const auto* text = name->if_string();
  const bool is_name = text != nullptr && text->size() <= opt::name_bytes_max
                       && text->find_first_not_of(' ') != boost::json::string::npos
                       && !has_control({text->data(), text->size()});
  if (!is_name)
    return is_wrong(key, "one line of at most " + std::to_string(opt::name_bytes_max)
                             + " bytes, and not blank");
  return std::string(*text);
}

/// With one of these a message is planned also for a client that has not activated the extension.
constexpr auto planning_keys = std::to_array<std::string_view>(
    {"opt/v1/template", "opt/v1/params", "opt/v1/preferObjective", "opt/v1/suggestedName"});

/// What the message says about planning. Nothing for a message to a task, or of a client that has
/// not activated the extension and names no key of it.
result<std::shared_ptr<planning_wishes>> read_planning(const operation_call& call,
                                                       const send_message& in) {
  const bool has_key = std::ranges::any_of(
      planning_keys, [&](std::string_view key) { return find_member(in, key) != nullptr; });
  if (!in.message.task_id.empty() || (!call.extensions.opt && !has_key))
    return std::shared_ptr<planning_wishes>{};
  const auto* named = find_member(in, "opt/v1/template");
  auto out = std::make_shared<planning_wishes>();
  if (named != nullptr) {
    if (!named->is_string() || named->get_string().empty())
      return is_wrong("opt/v1/template", "the name of a template");
    out->template_name = named->get_string();
  }
  if (const auto* params = find_member(in, "opt/v1/params")) {
    if (!params->is_object())
      return is_wrong("opt/v1/params", "an object: the values of the template by name");
    out->params = params->get_object();
  }
  if (const auto* prefers = find_member(in, "opt/v1/preferObjective")) {
    if (!prefers->is_bool())
      return is_wrong("opt/v1/preferObjective", "true or false");
    out->prefers_objective = prefers->get_bool();
  }
  auto name = read_suggested_name(in);
  if (!name)
    return name.error();
  out->name = std::move(*name);
  return out;
}

/// What `opt/v1/objective` or `opt/v1/plan` asks for; or `opt/v1/preferObjective`. Nothing, for a
/// message to a task.
result<std::shared_ptr<objective_wish>> read_wish(const send_message& in) {
  std::shared_ptr<objective_wish> out;
  if (!in.message.task_id.empty())
    return out;
  const auto* whole = find_member(in, "opt/v1/objective");
  const auto* plan = find_member(in, "opt/v1/plan");
  const auto* prefers = find_member(in, "opt/v1/preferObjective");
  const bool is_preferred = prefers != nullptr && prefers->is_bool() && prefers->get_bool();
  if (whole == nullptr && plan == nullptr && !is_preferred)
    return out;
  out = std::make_shared<objective_wish>();
  if (whole != nullptr) {
    auto spec = opt::read_objective(*whole, opt::unknown_members::ignore, "/opt~1v1~1objective");
    if (!spec)
      return spec.error();
    out->objective = std::move(*spec);
  }
  if (plan != nullptr) {
    auto spec = opt::read_plan(*plan, opt::unknown_members::ignore, "/opt~1v1~1plan");
    if (!spec)
      return spec.error();
    out->plan = std::move(*spec);
  }
  auto name = read_suggested_name(in);
  if (!name)
    return name.error();
  out->name = std::move(*name);
  return out;
}

/// What the message says of the question that it answers: its id (only that one is meant), and
/// whether it is answered at all. A message that names the task or the question in its metadata
/// only is for that task (docs/questions.md).
result<void> read_answer(send_message& to) {
  const auto& in = to.message.metadata;
  if (const auto* named = in.if_contains(question_id_key)) {
    if (!named->is_string() || named->get_string().empty())
      return is_wrong(question_id_key, "the id of a question, as the message that asks has it");
    to.question = named->get_string();
  } else {
    to.question = hitl::answered_id(to.message);
  }
  if (const auto* action = in.if_contains(answer_action_key)) {
    const auto known = action->is_string()
                           ? answer_action_from(std::string_view(action->get_string()))
                           : std::nullopt;
    if (!known)
      return is_wrong(answer_action_key, "one of accept, decline, cancel");
    to.action = *known;
  }
  if (const auto* overrides = in.if_contains(override_claim_key))
    if (!overrides->is_bool())
      return is_wrong(override_claim_key, "true or false");
  auto answers = answers_in(to.message);
  if (!answers)
    return answers.error();
  if (!answers->empty() && to.message.task_id.empty()) // They say to which tasks they go.
    to.message.task_id = answers->front().asked.task.str();
  if (!to.message.task_id.empty())
    return {};
  if (const auto* task = find_member(to, asking_task_key)) {
    if (!task->is_string() || task->get_string().empty())
      return is_wrong(asking_task_key, "the id of a task");
    to.message.task_id = task->get_string();
  } else if (in.contains(question_id_key)) { // An answer is no new order, whatever its context.
    const auto asked = question_address_from(to.question);
    if (!asked)
      return is_wrong(question_id_key, "the whole id of a question, such as trip.p0.t0.question-1, "
                                       "if the message names no task");
    to.message.task_id = asked->task.str();
  }
  return {};
}

} // namespace

result<std::unique_ptr<send_params>> read_send(const operation_call& call) {
  auto read = call.codec->read_send(params_of(call), call.extensions.opt);
  if (!read)
    return read.error();
  auto out = std::make_unique<send_params>();
  out->history_length = read->history_length;
  auto& request = out->request;
  request.command = std::move(read->command);
  if (auto known =
          identify(call, request.command.who, row_of(operation::send_message).unknown_tenant);
      !known)
    return known.error();
  auto key = read_idempotency_key(call.request.idempotency_key);
  if (!key)
    return key.error();
  request.command.idempotency_key = std::move(*key);
  request.command.traceparent = call.traceparent;
  request.command.tracestate = call.tracestate;
  if (auto read_one = read_answer(request.command); !read_one)
    return read_one.error();
  request.waits = !read->return_immediately;
  request.push = std::move(read->push);
  if (request.push)
    request.push->progress = call.extensions.progress;
  auto wish = read_wish(request.command);
  if (!wish)
    return wish.error();
  request.objective = std::move(*wish);
  auto planning = read_planning(call, request.command);
  if (!planning)
    return planning.error();
  request.planning = std::move(*planning);
  // As OPT prints it (docs/a2a.md, D8).
  if (request.planning)
    request.planning->answers_at_once = call.extensions.opt && read->leaves_waiting_open;
  const bool brings =
      request.objective && (request.objective->objective || request.objective->plan);
  if (brings && call.extensions.opt && read->leaves_waiting_open)
    request.waits = false;
  return out;
}

} // namespace troupe::net
