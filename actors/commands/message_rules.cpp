#include "actors/commands/message_rules.hpp"

#include "protocol/json/json_writer.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/media_type.hpp"
#include "protocol/text/text.hpp"
#include <troupe/actors/limits.hpp>
#include <troupe/protocol/time.hpp>

#include <algorithm>
#include <string_view>

namespace troupe {

namespace {

bool has_artifact(const task& in, std::string_view id) {
  return std::any_of(in.artifacts.begin(), in.artifacts.end(),
                     [&](const artifact_ptr& one) { return one->artifact_id == id; });
}

/// The artifact a part pins; empty if none.
result<std::string> pinned_by(const part& part, const std::string& where) {
  if (part.metadata.empty())
    return std::string{};
  const auto* pin = part.metadata.if_contains(reference_artifact_key);
  if (pin == nullptr || pin->is_null())
    return std::string{};
  if (!pin->is_string() || pin->get_string().empty())
    return make_error(errc::invalid_params, where + ": expected an artifact's id", where);
  return std::string(pin->get_string());
}

std::string pin_field(std::size_t part) {
  return "message.parts[" + std::to_string(part) + "].metadata." + reference_artifact_key;
}

} // namespace

result<void> check_task_references(const message& message, const find_task_fn& find) {
  const auto& named = message.reference_task_ids;
  if (named.size() > referenced_tasks_max)
    return make_error(errc::invalid_params,
                      "message.referenceTaskIds: more than " + std::to_string(referenced_tasks_max)
                          + " tasks",
                      "message.referenceTaskIds");
  std::vector<task_ptr> found;
  for (const auto& id : named)
    if (auto one = find(task_id{id})) // else ignored: an error would tell what exists
      found.push_back(std::move(one));
  for (std::size_t i = 0; i < message.parts.size(); ++i) {
    const auto pin = pinned_by(message.parts[i], pin_field(i));
    if (!pin)
      return pin.error();
    if (pin->empty())
      continue;
    auto known = [&] {
      return std::any_of(found.begin(), found.end(),
                         [&](const auto& one) { return has_artifact(*one, *pin); });
    };
    const auto own = message.task_id.empty() ? nullptr : find(task_id{message.task_id});
    if (!known() && !(own && has_artifact(*own, *pin)))
      return make_error(errc::invalid_params,
                        pin_field(i) + ": no artifact " + troupe::quoted(*pin)
                            + " in the tasks that message.referenceTaskIds names",
                        pin_field(i));
  }
  return {};
}

message_ptr references_in(const message& message) {
  if (message.reference_task_ids.empty())
    return nullptr;
  auto out = std::make_shared<troupe::message>();
  out->message_id = message.message_id;
  out->from = message.from;
  out->reference_task_ids = message.reference_task_ids;
  for (const auto& piece : message.parts)
    if (const auto pin = pinned_by(piece, {}); pin && !pin->empty())
      out->parts.emplace_back().metadata[reference_artifact_key] = *pin;
  return out;
}

std::vector<referenced_task> gather_references(const std::vector<message_ptr>& messages,
                                               const find_made_fn& find) {
  std::vector<referenced_task> out;
  for (const auto& one : messages)
    for (const auto& id : one->reference_task_ids) {
      const bool known = std::any_of(
          out.begin(), out.end(), [&](const referenced_task& task) { return task.id.str() == id; });
      if (known)
        continue;
      if (const auto* made = find(task_id{id}))
        out.push_back({task_id{id}, *made, {}});
    }
  if (out.empty())
    return out;
  for (const auto& one : messages)
    for (const auto& piece : one->parts)
      if (const auto pin = pinned_by(piece, {}); pin && !pin->empty())
        for (auto& task : out)
          for (const auto& made : task.artifacts)
            if (made->artifact_id == *pin
                && std::find(task.pinned.begin(), task.pinned.end(), *pin) == task.pinned.end())
              task.pinned.push_back(*pin);
  return out;
}

error no_question(std::string_view task) {
  return make_error(errc::no_question,
                    "task " + troupe::quoted(shown(task))
                        + " asks for no input, or was answered already",
                    shown(task));
}

error refusal_of_answer(const task_life& life, std::string_view task, std::string_view question) {
  const auto* closed = find_closed(life, question);
  if (closed == nullptr && is_terminal(life.status.state))
    return task_has_ended(task);
  const auto id = question_address{task_id{task}, std::string{question}}.str();
  if (closed == nullptr && life.question)
    return make_error(errc::no_question,
                      "task " + troupe::quoted(shown(task)) + " asks question "
                          + troupe::quoted(life.question->id) + ", and knows no question "
                          + troupe::quoted(shown(question)),
                      shown(id));
  if (closed == nullptr)
    return no_question(task);
  const auto at = to_rfc3339(closed->at);
  error out;
  out.field = id;
  auto said = "question " + troupe::quoted(shown(id)) + " ";
  switch (closed->state) {
    case question_state::expired:
      out.code = errc::input_expired;
      said += "expired without an answer";
      break;
    case question_state::withdrawn:
      out.code = errc::input_withdrawn;
      said += "was withdrawn";
      break;
    case question_state::open:
    case question_state::answered:
      out.code = errc::already_answered;
      said += "was answered";
      if (!closed->by.empty())
        said += " by " + troupe::quoted(closed->by, 60);
  }
  out.message = said + " at " + at;
  if (!closed->reason.empty())
    out.message += ": " + shown(closed->reason);
  json_writer data(out.details);
  data.begin_object().member("inputId", id).member("state", to_string(closed->state));
  data.optional_member("by", closed->by).member("at", at).end_object();
  return out;
}

error is_claimed(const std::string& question, const input_claim& by) {
  const auto until = to_rfc3339(by.until);
  auto out = make_error(errc::input_claimed,
                        "question " + troupe::quoted(shown(question)) + " is claimed by "
                            + troupe::quoted(shown(by.by)) + " until " + until,
                        question);
  json_writer data(out.details);
  data.begin_object().member("inputId", question).member("by", by.by).member("until", until);
  data.end_object();
  return out;
}

bool overrides_claim(const message& answer) noexcept {
  const auto* overrides = answer.metadata.if_contains(override_claim_key);
  return overrides != nullptr && *overrides == true;
}

bool is_for_default_agent(const plan_spec& plan, const agent_registry& agents) {
  return std::all_of(plan.tasks.begin(), plan.tasks.end(), [&](const task_spec& task) {
    return agents.name_or_default(task.agent) == agents.default_name();
  });
}

result<void> check_media_types(const message& message, const std::vector<std::string>& accepted,
                               const agent& who) {
  if (!accepted.empty())
    if (const auto made = who.output_modes(); !any_media_types_meet(accepted, made))
      return make_error(errc::content_type_not_supported,
                        "configuration.acceptedOutputModes: the agent makes " + listed_names(made)
                            + ", and none of these is accepted",
                        "configuration.acceptedOutputModes");
  const auto taken = who.input_modes();
  if (taken.empty())
    return {};
  for (std::size_t i = 0; i < message.parts.size(); ++i) {
    const auto type = media_type_of(message.parts[i]);
    if (type.empty() || any_media_types_meet(taken, {std::string(type)}))
      continue;
    const auto field = "message.parts[" + std::to_string(i) + "].mediaType";
    return make_error(
        errc::content_type_not_supported,
        field + ": " + troupe::quoted(type) + "; the agent takes " + listed_names(taken), field);
  }
  return {};
}

} // namespace troupe
