#include "agents/llm/llm_tools.hpp"

#include "protocol/json/json_parser.hpp"
#include "protocol/json/json_schema.hpp"
#include "protocol/json/quoted.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace troupe {

namespace json = boost::json;

namespace {

struct llm_tool_row {
  std::string_view name;
  std::string_view description;
  std::string_view parameters;
};

constexpr auto llm_tool_table = std::to_array<llm_tool_row>({
    {"ask_person",
     "Asks a person, and waits for the answer. Give choices if there are some, or a form (a JSON "
     "Schema of an object with simple properties) if several values are wanted.",
     R"({"type": "object", "properties": {)"
     R"("question": {"type": "string", "description": "What is asked, in one or two sentences."},)"
     R"("choices": {"type": "array", "items": {"type": "string"}, "description": "One of these is the answer."},)"
     R"("form": {"type": "object", "description": "JSON Schema of the answer."}},)"
     R"("required": ["question"], "additionalProperties": false})"},
});

constexpr auto llm_names = [] {
  std::array<std::string_view, llm_tool_table.size()> out{};
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = llm_tool_table[i].name;
  return out;
}();

error wrong_call(const models::tool_call& call, const std::string& text) {
  return make_error(errc::invalid_params,
                    "the call of " + troupe::quoted(call.name, 64) + " is wrong: " + text);
}

/// The members of the arguments, or why they are none.
result<json::object> read_arguments(const models::tool_call& call) {
  boost::system::error_code failed;
  auto tree = parse_json(call.arguments.empty() ? "{}" : call.arguments, failed);
  if (failed)
    return wrong_call(call, "its arguments are not JSON (" + json_fault(failed) + ")");
  if (!tree.is_object())
    return wrong_call(call, "its arguments are no object");
  return std::move(tree.get_object());
}

result<json::object> form_of_choices(const models::tool_call& call, const json::value& from) {
  const auto* list = from.if_array();
  if (list == nullptr || list->empty() || list->size() > llm_choices_max
      || !std::ranges::all_of(*list, [](const json::value& each) {
           return each.is_string() && !each.get_string().empty()
                  && each.get_string().size() <= llm_question_bytes_max;
         }))
    return wrong_call(call,
                      "\"choices\" must be 1 to " + std::to_string(llm_choices_max) + " texts");
  json::object out{{"type", "string"}};
  out["enum"] = *list;
  return out;
}

} // namespace

std::span<const std::string_view> llm_tool_names() noexcept {
  return llm_names;
}

std::vector<models::tool_spec> llm_tool_specs(const std::vector<std::string>& names) {
  std::vector<models::tool_spec> out;
  for (const auto& each : llm_tool_table)
    if (std::ranges::find(names, each.name) != names.end())
      out.push_back({std::string(each.name), std::string(each.description),
                     json::parse(each.parameters).as_object()});
  return out;
}

result<report_question> read_question_call(const models::tool_call& call,
                                           const std::vector<std::string>& allowed) {
  if (std::ranges::find(allowed, call.name) == allowed.end())
    return wrong_call(call, "there is no such tool");
  auto arguments = read_arguments(call);
  if (!arguments)
    return arguments.error();
  for (const auto& each : *arguments)
    if (each.key() != "question" && each.key() != "choices" && each.key() != "form")
      return wrong_call(call, "unknown member " + troupe::quoted(each.key(), 64));
  const auto* question = arguments->if_contains("question");
  if (question == nullptr || !question->is_string() || question->get_string().empty()
      || question->get_string().size() > llm_question_bytes_max)
    return wrong_call(call, "\"question\" must be a text of at most "
                                + std::to_string(llm_question_bytes_max) + " bytes");
  report_question out;
  out.prompt = std::string(question->get_string());
  const auto* choices = arguments->if_contains("choices");
  const auto* form = arguments->if_contains("form");
  if (choices != nullptr && form != nullptr)
    return wrong_call(call, "\"choices\" and \"form\" exclude each other");
  if (choices != nullptr) {
    auto made = form_of_choices(call, *choices);
    if (!made)
      return made.error();
    out.form = std::move(*made);
  } else if (form != nullptr) {
    if (!form->is_object())
      return wrong_call(call, "\"form\" must be an object");
    if (const auto fault = check_schema(form->get_object()))
      return wrong_call(call, "\"form\"" + fault->pointer + ": " + fault->message);
    out.form = form->get_object();
  }
  return out;
}

std::string told_answer(const message& answer) {
  std::string out;
  for (const auto& each : answer.parts)
    if (const auto* text = std::get_if<text_content>(&each.content))
      out += (out.empty() ? "" : "\n") + text->text;
    else if (const auto* data = std::get_if<data_content>(&each.content))
      out += (out.empty() ? "" : "\n") + json::serialize(data->data);
  return out.empty() ? "(an answer without text)" : out;
}

} // namespace troupe
