#include "agents/llm/llm_tools.hpp"

#include "protocol/json/json_parser.hpp"
#include "protocol/json/json_schema.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/json/text_in.hpp"
#include "protocol/opt/answer_text.hpp"
#include "protocol/text/text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace troupe {

namespace json = boost::json;

namespace {

struct llm_tool_row {
  std::string_view name;
  bool makes_tasks;
  std::string_view description;
  std::string_view parameters;
};

// clang-format off
/// What a task of `add_tasks` is.
constexpr std::string_view added_task_schema =
    R"({"type": "object", "properties": {)"
    R"("name": {"type": "string", "minLength": 1, "maxLength": 200, "description": "A short name."},)"
    R"("agent": {"type": "string", "enum": ["@agents"], "description": "Who does it."},)"
    R"("text": {"type": "string", "minLength": 1, "maxLength": 8192, "description": "What is to be done. Who does it knows nothing else."},)"
    R"("after": {"type": "array", "items": {"type": "string"}, "maxItems": 50, "description": "Names of tasks of the plan that must be completed before."},)"
    R"("expectedSeconds": {"type": "number", "minimum": 0, "maximum": 31536000, "description": "How long it will take."}},)"
    R"("required": ["name", "agent", "text"], "additionalProperties": false})";

constexpr auto llm_tool_table = std::to_array<llm_tool_row>({
    {"ask_person", false,
     "Asks a person, and waits for the answer. Give choices if there are some, or a form (a JSON "
     "Schema of an object with simple properties) if several values are wanted.",
     R"({"type": "object", "properties": {)"
     R"("question": {"type": "string", "description": "What is asked, in one or two sentences."},)"
     R"("choices": {"type": "array", "items": {"type": "string"}, "description": "One of these is the answer."},)"
     R"("form": {"type": "object", "description": "JSON Schema of the answer."}},)"
     R"("required": ["question"], "additionalProperties": false})"},
    {"call_agent", true,
     "Gives a task to another agent, and waits for its result. Calls that are made together run at "
     "the same time. The agents: ",
     R"({"type": "object", "properties": {)"
     R"("agent": {"type": "string", "enum": ["@agents"], "description": "Who does it."},)"
     R"("text": {"type": "string", "minLength": 1, "maxLength": 8192, "description": "What is to be done. The agent knows nothing else."},)"
     R"("name": {"type": "string", "minLength": 1, "maxLength": 200, "description": "A short name of the task, for people."}},)"
     R"("required": ["agent", "text"], "additionalProperties": false})"},
    {"add_tasks", true,
     "Adds tasks to the plan that this task belongs to, and does not wait for them. They are done "
     "by the agents: ",
     R"({"type": "object", "properties": {)"
     R"("tasks": {"type": "array", "items": "@task", "description": "At most 20 tasks."}},)"
     R"("required": ["tasks"], "additionalProperties": false})"},
});
// clang-format on

constexpr auto llm_names = [] {
  std::array<std::string_view, llm_tool_table.size()> out{};
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = llm_tool_table[i].name;
  return out;
}();

const llm_tool_row* tool_row(std::string_view name) noexcept {
  const auto* found = std::ranges::find(llm_tool_table, name, &llm_tool_row::name);
  return found == llm_tool_table.end() ? nullptr : found;
}

/// A schema with the names of the agents that are offered.
json::object with_agents(std::string_view schema, const llm_offer& offer) {
  auto out = json::parse(schema).as_object();
  auto& properties = out["properties"].as_object();
  if (auto* agent = properties.if_contains("agent")) {
    auto& names = agent->as_object()["enum"].as_array();
    names.clear();
    for (const auto& each : offer.agents)
      names.emplace_back(each.name);
  }
  return out;
}

/// All parameters of a tool, as the model is told them.
json::object parameters_of(const llm_tool_row& row, const llm_offer& offer) {
  auto out = with_agents(row.parameters, offer);
  if (auto* tasks = out["properties"].as_object().if_contains("tasks"))
    tasks->as_object()["items"] = with_agents(added_task_schema, offer);
  return out;
}

std::string description_of(const llm_tool_row& row, const llm_offer& offer) {
  std::string out(row.description);
  if (!row.makes_tasks)
    return out;
  for (const auto& each : offer.agents)
    out += (&each == &offer.agents.front() ? "" : "; ") + troupe::quoted(each.name)
           + (each.description.empty() ? "" : " (" + each.description + ")");
  return out + ".";
}

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

result<report_question> read_question_call(const models::tool_call& call,
                                           const json::object& from) {
  for (const auto& each : from)
    if (each.key() != "question" && each.key() != "choices" && each.key() != "form")
      return wrong_call(call, "unknown member " + troupe::quoted(each.key(), 64));
  const auto* question = from.if_contains("question");
  if (question == nullptr || !question->is_string() || question->get_string().empty()
      || question->get_string().size() > llm_question_bytes_max)
    return wrong_call(call, "\"question\" must be a string of at most "
                                + std::to_string(llm_question_bytes_max) + " bytes");
  report_question out;
  out.prompt = std::string(question->get_string());
  const auto* choices = from.if_contains("choices");
  const auto* form = from.if_contains("form");
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

/// The task that a model wants. Its text is all that the model says about it.
result<task_spec> read_wanted_task(const models::tool_call& call, const json::value& from,
                                   const std::string& where, const json::object& schema,
                                   const llm_offer& offer) {
  if (const auto misfit = find_misfit(from, schema))
    return wrong_call(call,
                      where + misfit->pointer
                          + (where.empty() && misfit->pointer.empty() ? "the arguments " : " ")
                          + misfit->message);
  const auto& object = from.get_object();
  const auto& by =
      *std::ranges::find(offer.agents, text_in(object, "agent"), &llm_listed_agent::name);
  task_spec out;
  out.name = text_in(object, "name");
  if (out.name.empty())
    out.name = by.name;
  out.description = text_in(object, "text");
  out.agent = by.agent;
  out.input = by.input;
  if (const auto* seconds = object.if_contains("expectedSeconds"))
    out.expected = milliseconds{std::llround(seconds->to_number<double>() * 1000)};
  if (const auto* after = object.if_contains("after"))
    for (const auto& each : after->get_array())
      out.dependencies.emplace_back(each.get_string());
  return out;
}

result<report_change> read_agent_call(const models::tool_call& call, const json::object& from,
                                      const llm_offer& offer) {
  auto task = read_wanted_task(call, from, "", parameters_of(*tool_row(call.name), offer), offer);
  if (!task)
    return task.error();
  report_change out;
  out.waits = true;
  out.operations.emplace_back(add_task{std::move(*task)});
  return out;
}

result<report_change> read_added_tasks(const models::tool_call& call, const json::object& from,
                                       const llm_offer& offer) {
  for (const auto& each : from)
    if (each.key() != "tasks")
      return wrong_call(call, "unknown member " + troupe::quoted(each.key(), 64));
  const auto* found = from.if_contains("tasks");
  const auto* tasks = found == nullptr ? nullptr : found->if_array();
  if (tasks == nullptr || tasks->empty() || tasks->size() > llm_added_tasks_max)
    return wrong_call(call,
                      "\"tasks\" must be 1 to " + std::to_string(llm_added_tasks_max) + " tasks");
  report_change out;
  const auto schema = with_agents(added_task_schema, offer);
  for (std::size_t i = 0; i < tasks->size(); ++i) {
    auto task = read_wanted_task(call, (*tasks)[i], "/tasks/" + std::to_string(i), schema, offer);
    if (!task)
      return task.error();
    auto name = task->name;
    out.operations.emplace_back(add_task{std::move(*task), std::move(name)});
  }
  return out;
}

} // namespace

std::span<const std::string_view> llm_tool_names() noexcept {
  return llm_names;
}

bool llm_tool_makes_tasks(std::string_view name) noexcept {
  const auto* row = tool_row(name);
  return row != nullptr && row->makes_tasks;
}

std::vector<models::tool_spec> llm_tool_specs(const llm_offer& offer) {
  std::vector<models::tool_spec> out;
  for (const auto& each : llm_tool_table)
    if (std::ranges::find(offer.tools, each.name) != offer.tools.end())
      out.push_back(
          {std::string(each.name), description_of(each, offer), parameters_of(each, offer)});
  return out;
}

result<llm_request> read_tool_call(const models::tool_call& call, const llm_offer& offer) {
  if (std::ranges::find(offer.tools, call.name) == offer.tools.end())
    return wrong_call(call, "there is no such tool");
  const auto arguments = read_arguments(call);
  if (!arguments)
    return arguments.error();
  const auto as_request = [](auto read) {
    return read ? result<llm_request>{std::move(*read)} : result<llm_request>{read.error()};
  };
  if (call.name == "call_agent")
    return as_request(read_agent_call(call, *arguments, offer));
  if (call.name == "add_tasks")
    return as_request(read_added_tasks(call, *arguments, offer));
  return as_request(read_question_call(call, *arguments));
}

report_question approval_question(const models::tool_call& call) {
  report_question out;
  out.prompt = "May the model call " + call.name + " with " + shortened(call.arguments, 1024) + "?";
  out.form = {{"type", "boolean"}};
  boost::system::error_code failed;
  auto arguments = parse_json(call.arguments.empty() ? "{}" : call.arguments, failed);
  json::object tool{{"id", "tool-1"}, {"call_id", call.id.empty() ? "call-1" : call.id}};
  tool["name"] = call.name;
  tool["args"] = failed ? json::object{} : std::move(arguments);
  out.data["kind"] = "approval";
  out.data["tools"].emplace_array().emplace_back(std::move(tool));
  return out;
}

bool is_approved(const message& answer) {
  static const json::object boolean{{"type", "boolean"}};
  for (const auto& each : answer.parts)
    if (const auto* data = std::get_if<data_content>(&each.content))
      return data->data.is_bool() && data->data.get_bool();
  const auto said = value_of_text(text_of(answer.parts), boolean);
  return said.is_bool() && said.get_bool();
}

} // namespace troupe
