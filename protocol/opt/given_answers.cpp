#include "protocol/opt/given_answers.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace troupe {

namespace {

namespace json = boost::json;

error is_no_answer(const std::string& where, std::string_view expected) {
  return make_error(errc::invalid_params, where + " must be " + std::string(expected),
                    "message.metadata");
}

/// What the task is told: the value, or else what the message says.
message said_to_task(const message& text, const json::object& answer, const given_answer& to) {
  auto out = text;
  out.task_id.clear();
  out.metadata.erase(answers_key);
  out.metadata[question_id_key] = to.asked.str();
  if (to.action != answer_action::accept)
    out.metadata[answer_action_key] = to_string(to.action);
  const auto* value = answer.if_contains("value");
  if (value == nullptr)
    return out;
  const auto* words = value->if_string();
  out.parts.clear();
  out.parts.push_back(words != nullptr ? text_part(std::string{*words})
                                       : data_part(json::value(*value, json::storage_ptr{})));
  return out;
}

result<given_answer> read_given_answer(const message& text, const json::value& from,
                                       const std::string& where) {
  const auto* answer = from.if_object();
  if (answer == nullptr)
    return is_no_answer(where, "an object");
  const auto* id = answer->if_contains("inputId");
  auto asked = id != nullptr && id->is_string()
                   ? question_address_from(std::string_view(id->get_string()))
                   : std::nullopt;
  if (!asked)
    return is_no_answer(where + "/inputId",
                        "the id of a question, as the message that asks has it");
  given_answer out;
  out.asked = std::move(*asked);
  if (const auto* action = answer->if_contains("action")) {
    const auto known = action->is_string()
                           ? answer_action_from(std::string_view(action->get_string()))
                           : std::nullopt;
    if (!known)
      return is_no_answer(where + "/action", "one of accept, decline, cancel");
    out.action = *known;
  }
  out.said = said_to_task(text, *answer, out);
  return out;
}

} // namespace

result<std::vector<given_answer>> answers_in(const message& text) {
  std::vector<given_answer> out;
  const auto* found = text.metadata.if_contains(answers_key);
  if (found == nullptr)
    return out;
  const std::string key(answers_key);
  const auto* answers = found->if_array();
  if (answers == nullptr || answers->empty())
    return is_no_answer(key, "an array of at least one answer");
  if (answers->size() > answers_of_message_max)
    return make_error(errc::limit_exceeded,
                      key + " has " + std::to_string(answers->size()) + " answers; at most "
                          + std::to_string(answers_of_message_max) + " are taken together",
                      "message.metadata");
  if (text.metadata.contains(question_id_key) || text.metadata.contains(answer_action_key))
    return is_no_answer(key, "alone; each answer has its own \"inputId\" and \"action\"");
  for (std::size_t i = 0; i < answers->size(); ++i) {
    auto one = read_given_answer(text, (*answers)[i], key + "/" + std::to_string(i));
    if (!one)
      return one.error();
    out.push_back(std::move(*one));
  }
  // Tasks are asked in this order, so that two messages never wait for each other.
  std::ranges::sort(out, {}, [](const given_answer& each) { return each.asked.task.str(); });
  const auto twice = std::ranges::adjacent_find(
      out, {}, [](const given_answer& each) { return each.asked.task.str(); });
  if (twice != out.end())
    return is_no_answer(key, "answers to different tasks; task " + shown(twice->asked.task.str())
                                 + " has two");
  return out;
}

message message_of(const answer_input& command, const task_id& to, std::string message_id) {
  message out;
  out.message_id = std::move(message_id);
  out.from = role::user;
  out.task_id = to.str();
  out.metadata[question_id_key] = command.id;
  if (command.action != answer_action::accept)
    out.metadata[answer_action_key] = to_string(command.action);
  if (command.overrides)
    out.metadata[override_claim_key] = true;
  const auto* text = command.value ? command.value->if_string() : nullptr;
  if (!command.value)
    out.parts.push_back(text_part(std::string{to_string(command.action)}));
  else if (text != nullptr)
    out.parts.push_back(text_part(std::string{*text}));
  else
    out.parts.push_back(data_part(*command.value));
  return out;
}

} // namespace troupe
