#include "protocol/opt/hitl.hpp"

#include "protocol/json/json_text.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/json/schema_choices.hpp"
#include "protocol/json/text_in.hpp"
#include "protocol/opt/answer_text.hpp"
#include "protocol/text/blanks.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::hitl {

namespace {

namespace json = boost::json;

constexpr std::string_view ask_request = "ask_user_request";
constexpr std::string_view ask_response = "ask_user_response";
constexpr std::string_view approval_request = "tool_approval_request";
constexpr std::string_view approval_response = "tool_approval_response";

constexpr auto words_of_approval =
    std::to_array<std::string_view>({"approved", "approve", "proceed", "yes", "continue"});
constexpr auto words_of_denial = std::to_array<std::string_view>(
    {"denied", "deny", "reject", "rejected", "no", "cancel", "stop"});

/// The member, if it is a text that is not empty.
const json::array* array_member(const json::object& of, std::string_view name) {
  const auto* found = of.if_contains(name);
  return found != nullptr ? found->if_array() : nullptr;
}

const json::object* object_member(const json::object& of, std::string_view name) {
  const auto* found = of.if_contains(name);
  return found != nullptr ? found->if_object() : nullptr;
}

bool has_type(const json::object& schema, std::string_view type) {
  return text_in(schema, "type") == type;
}

// -- our question as a request --------------------------------------------------------------------

/// A call of a tool with the members that the extension knows; nothing if it lacks one.
std::optional<json::object> tool_of(const json::value& from) {
  const auto* given = from.if_object();
  if (given == nullptr)
    return std::nullopt;
  json::object out;
  for (const auto name : {"id", "call_id", "name"}) {
    auto text = text_in(*given, name);
    if (text.empty())
      return std::nullopt;
    out[name] = std::move(text);
  }
  const auto* args = given->if_contains("args");
  if (args != nullptr && !args->is_object() && !args->is_null())
    return std::nullopt;
  out["args"] = args != nullptr && args->is_object() ? *args : json::value(json::object{});
  return out;
}

/// The calls of the question; empty if it is about none.
json::array tools_of(const json::object& data) {
  json::array out;
  const auto* given = array_member(data, "tools");
  if (given == nullptr)
    return out;
  for (const auto& each : *given) {
    auto tool = tool_of(each);
    if (!tool)
      return {};
    out.push_back(std::move(*tool));
  }
  return out;
}

/// What may be chosen, as it is shown.
json::array choices_of(const json::object& schema) {
  if (const auto* items = items_in(schema))
    return choices_of(*items);
  json::array out;
  for (const auto& each : choices_in(schema))
    out.emplace_back(each.title.empty() ? text_of_value(*each.value) : std::string(each.title));
  if (out.empty() && has_type(schema, "boolean"))
    out = {"yes", "no"};
  return out;
}

json::object question_of(std::string text, const json::object& schema) {
  json::object out;
  out["question"] = std::move(text);
  out["choices"] = choices_of(schema);
  out["multiple"] = has_type(schema, "array");
  return out;
}

/// The properties of a form in their order; null if the schema is of one value.
const json::object* properties_of(const json::object& form) {
  return has_type(form, "object") ? object_member(form, "properties") : nullptr;
}

/// How a person knows what is meant by a property.
std::string label_of(std::string_view name, const json::object& schema) {
  for (const auto* member : {"title", "description"})
    if (auto text = text_in(schema, member); !text.empty())
      return text;
  return std::string(name);
}

bool is_required(const json::object& form, std::string_view name) {
  const auto* names = array_member(form, "required");
  return names != nullptr
         && std::any_of(names->begin(), names->end(),
                        [name](const json::value& each) { return text_of_value(each) == name; });
}

// -- a response as our answer ---------------------------------------------------------------------

error misfits(std::string message, std::string field = {}) {
  return make_error(errc::invalid_answer, std::move(message), std::move(field));
}

/// The texts of one entry of `answers`.
result<std::vector<std::string>> texts_of(const json::value& entry, std::size_t at) {
  const auto where = "answers/" + std::to_string(at);
  const auto* given = entry.if_object();
  const auto* texts = given != nullptr ? array_member(*given, "answer") : nullptr;
  if (texts == nullptr)
    return misfits(where + " must be {\"answer\": [texts]}", "/" + where);
  std::vector<std::string> out;
  for (const auto& each : *texts) {
    if (!each.is_string())
      return misfits(where + "/answer must have texts only", "/" + where + "/answer");
    out.emplace_back(each.get_string());
  }
  return out;
}

/// Nothing if there is no text.
result<std::optional<json::value>> value_of(const std::vector<std::string>& texts,
                                            const json::object& schema, std::size_t at) {
  if (has_type(schema, "array")) {
    const auto* items = object_member(schema, "items");
    json::array out;
    for (const auto& text : texts)
      out.push_back(value_of_text(text, items != nullptr ? *items : json::object{}));
    return std::optional<json::value>(std::move(out));
  }
  if (texts.size() > 1)
    return misfits("answers/" + std::to_string(at) + " has " + std::to_string(texts.size())
                       + " texts, and its question takes one",
                   "/answers/" + std::to_string(at));
  if (texts.empty())
    return std::optional<json::value>{};
  return std::optional<json::value>(value_of_text(texts.front(), schema));
}

result<answer> read_answers(const json::object& response, const question& asked,
                            std::string_view id) {
  if (text_in(response, "id") != id)
    return misfits("the response is to the question " + quoted(text_in(response, "id"))
                       + ", and the open one is " + quoted(id),
                   "/id");
  const auto* properties = properties_of(asked.form);
  const std::size_t count = properties != nullptr ? properties->size() : 1;
  const auto* answers = array_member(response, "answers");
  if (answers == nullptr || answers->size() != count)
    return misfits("\"answers\" must have " + std::to_string(count)
                       + " entries, one for each question in their order",
                   "/answers");
  answer out;
  if (properties == nullptr) {
    auto texts = texts_of(answers->front(), 0);
    if (!texts)
      return texts.error();
    auto value = value_of(*texts, asked.form, 0);
    if (!value)
      return value.error();
    if (!*value)
      return misfits("answers/0 has no text", "/answers/0");
    out.value = std::move(**value);
    return out;
  }
  json::object form;
  std::size_t at = 0;
  for (const auto& property : *properties) {
    auto texts = texts_of((*answers)[at], at);
    if (!texts)
      return texts.error();
    const auto* schema = property.value().if_object();
    auto value = value_of(*texts, schema != nullptr ? *schema : json::object{}, at);
    if (!value)
      return value.error();
    const bool is_empty = texts->empty() && !is_required(asked.form, property.key());
    if (*value && !is_empty)
      form[property.key()] = std::move(**value);
    ++at;
  }
  out.value = std::move(form);
  return out;
}

/// One decision about a call.
struct approval {
  std::string id;
  bool approved = false;
  std::string reason;
};

result<std::vector<approval>> read_approvals(const json::object& response,
                                             const json::array& tools) {
  const auto* given = array_member(response, "approvals");
  if (given == nullptr)
    return misfits("\"approvals\" must be an array", "/approvals");
  std::vector<approval> out;
  for (const auto& each : *given) {
    const auto* one = each.if_object();
    const auto* approved = one != nullptr ? one->if_contains("approved") : nullptr;
    const auto where = "approvals/" + std::to_string(out.size());
    if (approved == nullptr || !approved->is_bool() || text_in(*one, "id").empty())
      return misfits(where + " must have \"id\" and \"approved\", which is true or false",
                     "/" + where);
    out.push_back({text_in(*one, "id"), approved->get_bool(), text_in(*one, "rejection_reason")});
  }
  for (const auto& tool : tools) {
    const auto id = text_in(tool.get_object(), "id");
    const auto count = std::ranges::count(out, id, &approval::id);
    if (count != 1)
      return misfits("the call " + quoted(id) + " must be decided once, and is "
                         + std::to_string(count) + " times",
                     "/approvals");
  }
  if (out.size() != tools.size())
    return misfits("\"approvals\" names a call that was not asked about", "/approvals");
  return out;
}

json::array as_json(const std::vector<approval>& approvals) {
  json::array out;
  for (const auto& each : approvals) {
    json::object one{{"id", each.id}, {"approved", each.approved}};
    if (!each.reason.empty())
      one["rejection_reason"] = each.reason;
    out.emplace_back(std::move(one));
  }
  return out;
}

/// One decision for all, or all of them, as the form takes it.
result<answer> answer_of(const std::vector<approval>& approvals, const question& asked) {
  answer out;
  if (!has_type(asked.form, "boolean")) {
    out.value = as_json(approvals);
    return out;
  }
  const auto approved = std::ranges::count(approvals, true, &approval::approved);
  if (approved != 0 && approved != std::ssize(approvals))
    return misfits("some calls are approved and some are rejected; approve all or reject all",
                   "/approvals");
  out.value = approved != 0;
  return out;
}

/// The decision in the older words.
std::optional<bool> older_decision(const message& said) {
  for (const auto& part : said.parts)
    if (const auto* content = std::get_if<data_content>(&part.content)) {
      const auto* data = content->data.if_object();
      const auto decision = data != nullptr ? text_in(*data, "decision_type") : std::string{};
      if (decision == "approve" || decision == "reject")
        return decision == "approve";
      return std::nullopt;
    }
  const auto whole = text_of(said.parts);
  const auto text = without_blanks(whole);
  const auto is_one_of = [text](const auto& words) {
    return std::ranges::any_of(words,
                               [text](std::string_view word) { return is_same_word(word, text); });
  };
  if (is_one_of(words_of_approval))
    return true;
  return is_one_of(words_of_denial) ? std::optional<bool>(false) : std::nullopt;
}

// -- a request as our question --------------------------------------------------------------------

error is_none(const std::string& message) {
  return make_error(errc::invalid_agent_response, std::string(uri) + ": " + message, "");
}

/// The schema of what answers one question of a request.
result<json::object> schema_of(const json::value& from, std::size_t at) {
  const auto* given = from.if_object();
  const auto text = given != nullptr ? text_in(*given, "question") : std::string{};
  if (text.empty())
    return is_none("questions/" + std::to_string(at) + " has no \"question\"");
  json::object item{{"type", "string"}};
  if (const auto* choices = array_member(*given, "choices"); choices && !choices->empty()) {
    for (const auto& each : *choices)
      if (!each.is_string())
        return is_none("questions/" + std::to_string(at) + "/choices has more than texts");
    item["enum"] = *choices;
  }
  const auto* multiple = given->if_contains("multiple");
  if (multiple == nullptr || *multiple != true) {
    item["title"] = text;
    return item;
  }
  return json::object{{"type", "array"}, {"items", std::move(item)}, {"title", text}};
}

std::string property_name(std::size_t at) {
  return "answer-" + std::to_string(at + 1);
}

result<request> read_questions(const json::object& from) {
  request out;
  out.id = text_in(from, "id");
  const auto* questions = array_member(from, "questions");
  if (out.id.empty() || questions == nullptr || questions->empty())
    return is_none("an ask_user_request has an \"id\" and \"questions\"");
  json::object properties;
  json::array names;
  for (std::size_t i = 0; i < questions->size(); ++i) {
    auto schema = schema_of((*questions)[i], i);
    if (!schema)
      return schema.error();
    out.prompt += (i == 0 ? "" : "\n") + text_in(*schema, "title");
    if (questions->size() == 1) {
      schema->erase("title");
      out.form = std::move(*schema);
      return out;
    }
    names.emplace_back(property_name(i));
    properties[property_name(i)] = std::move(*schema);
  }
  out.form = {{"type", "object"}, {"properties", std::move(properties)}, {"required", names}};
  return out;
}

result<request> read_tools(const json::object& from) {
  request out;
  auto tools = tools_of(from);
  if (tools.empty())
    return is_none("a tool_approval_request has \"tools\", each with \"id\", \"call_id\", \"name\" "
                   "and \"args\"");
  out.prompt = text_in(from, "hint");
  if (out.prompt.empty())
    out.prompt = "Approve?";
  out.form = {{"type", "boolean"}};
  out.data = {{"tools", std::move(tools)}};
  return out;
}

/// A request in the older words, in a data part.
std::optional<request> read_older(const message& asking) {
  for (const auto& part : asking.parts) {
    const auto* content = std::get_if<data_content>(&part.content);
    const auto* data = content != nullptr ? content->data.if_object() : nullptr;
    if (data == nullptr || text_in(*data, "interrupt_type") != "tool_approval")
      continue;
    const auto* calls = array_member(*data, "action_requests");
    json::array tools;
    for (const auto& each : calls != nullptr ? *calls : json::array{}) {
      const auto* call = each.if_object();
      if (call == nullptr)
        return std::nullopt;
      json::object tool = *call;
      tool["call_id"] = text_in(*call, "id");
      tools.emplace_back(std::move(tool));
    }
    auto read = read_tools({{"tools", std::move(tools)}});
    if (!read)
      return std::nullopt;
    read->is_older = true;
    if (auto words = text_of(asking.parts); !words.empty())
      read->prompt = std::move(words);
    return std::move(*read);
  }
  return std::nullopt;
}

// -- our answer as a response ---------------------------------------------------------------------

json::object answer_entry(const json::value* value) {
  json::array texts;
  if (value != nullptr && value->is_array())
    for (const auto& each : value->get_array())
      texts.emplace_back(text_of_value(each));
  else if (value != nullptr && !value->is_null())
    texts.emplace_back(text_of_value(*value));
  return {{"answer", std::move(texts)}};
}

json::object answers_to(const request& to, const answer& said) {
  const bool is_given = said.action == answer_action::accept;
  json::array answers;
  if (const auto* properties = properties_of(to.form)) {
    const auto* given = is_given ? said.value.if_object() : nullptr;
    for (const auto& property : *properties)
      answers.emplace_back(
          answer_entry(given != nullptr ? given->if_contains(property.key()) : nullptr));
  } else {
    answers.emplace_back(answer_entry(is_given ? &said.value : nullptr));
  }
  return {{"type", ask_response}, {"id", to.id}, {"answers", std::move(answers)}};
}

json::object approvals_to(const request& to, bool approved, std::string_view reason) {
  std::vector<approval> out;
  for (const auto& tool : to.data.at("tools").as_array())
    out.push_back({text_in(tool.get_object(), "id"), approved,
                   approved ? std::string{} : std::string(reason)});
  return {{"type", approval_response}, {"approvals", as_json(out)}};
}

} // namespace

bool is_approval(const question& asked) {
  return !tools_of(asked.data).empty();
}

json::object request_of(const question& asked, const std::string& id) {
  json::object out;
  if (auto tools = tools_of(asked.data); !tools.empty()) {
    out["type"] = approval_request;
    out["hint"] = asked.prompt;
    out["tools"] = std::move(tools);
    return out;
  }
  out["type"] = ask_request;
  out["id"] = id;
  json::array questions;
  if (const auto* properties = properties_of(asked.form))
    for (const auto& property : *properties) {
      const auto* schema = property.value().if_object();
      const json::object none;
      const auto& of = schema != nullptr ? *schema : none;
      questions.emplace_back(question_of(label_of(property.key(), of), of));
    }
  else
    questions.emplace_back(question_of(asked.prompt, asked.form));
  out["questions"] = std::move(questions);
  return out;
}

std::string answered_id(const message& said) {
  const auto* response = object_member(said.metadata, uri);
  return response != nullptr && text_in(*response, "type") == ask_response
             ? text_in(*response, "id")
             : std::string{};
}

result<std::optional<answer>> read_response(const message& said, const question& asked,
                                            std::string_view id) {
  const auto tools = tools_of(asked.data);
  const auto* given = said.metadata.if_contains(uri);
  if (given == nullptr) {
    const auto decision = tools.empty() ? std::nullopt : older_decision(said);
    if (!decision)
      return std::optional<answer>{};
    std::vector<approval> approvals;
    for (const auto& tool : tools)
      approvals.push_back({text_in(tool.get_object(), "id"), *decision, {}});
    auto out = answer_of(approvals, asked);
    if (!out)
      return out.error();
    return std::optional<answer>(std::move(*out));
  }
  const auto* response = given->if_object();
  const auto type = response != nullptr ? text_in(*response, "type") : std::string{};
  const auto wanted = tools.empty() ? ask_response : approval_response;
  if (type != wanted)
    return misfits(std::string(uri) + " must be a " + std::string(wanted) + " to this question",
                   "/type");
  auto out = [&]() -> result<answer> {
    if (tools.empty())
      return read_answers(*response, asked, id);
    const auto approvals = read_approvals(*response, tools);
    if (!approvals)
      return approvals.error();
    return answer_of(*approvals, asked);
  }();
  if (!out)
    return out.error();
  return std::optional<answer>(std::move(*out));
}

result<std::optional<request>> read_request(const message& asking) {
  const auto* given = asking.metadata.if_contains(uri);
  if (given == nullptr)
    return read_older(asking);
  const auto* from = given->if_object();
  const auto type = from != nullptr ? text_in(*from, "type") : std::string{};
  if (type != ask_request && type != approval_request)
    return is_none("neither an ask_user_request nor a tool_approval_request");
  auto out = type == ask_request ? read_questions(*from) : read_tools(*from);
  if (!out)
    return out.error();
  if (const auto* nested = object_member(*from, "nested"))
    out->data["nested"] = *nested;
  return std::optional<request>(std::move(*out));
}

message response_to(const request& to, const answer& said) {
  message out;
  out.from = role::user;
  const bool is_about_tools = to.data.contains("tools");
  const bool is_given = said.action == answer_action::accept;
  const bool approved = is_about_tools && is_given && said.value == true;
  if (to.is_older) {
    out.parts.push_back(
        data_part(json::object{{"decision_type", approved ? "approve" : "reject"}}));
    return out;
  }
  out.extensions.emplace_back(uri);
  out.metadata[uri] = is_about_tools
                          ? approvals_to(to, approved, is_given ? "" : to_string(said.action))
                          : answers_to(to, said);
  const auto words = [&] {
    if (!is_given)
      return std::string(to_string(said.action));
    if (is_about_tools)
      return std::string(approved ? "approved" : "rejected");
    return text_of_value(said.value);
  };
  out.parts.push_back(text_part(words()));
  return out;
}

} // namespace troupe::hitl
