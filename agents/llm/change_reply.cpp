#include "agents/llm/change_reply.hpp"

#include "agents/llm/plan_reply.hpp"
#include "agents/llm/planning_prompt.hpp"
#include "protocol/json/json_parser.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/json/text_in.hpp"
#include "protocol/opt/plan_operations.hpp"
#include "protocol/text/near_name.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace troupe {

namespace json = boost::json;

namespace {

/// An operation that a model may make, with its members beside `op`: some of objectives/modify.
struct change_row {
  std::string_view op;
  std::array<std::string_view, 5> members;
  std::string_view meaning;
};

// clang-format off
constexpr auto change_table = std::to_array<change_row>({
    {"addPlan",             {"name", "description", "dependencies", "tasks", "as"}, "one more plan; \"dependencies\" are plans that must be completed before; later operations may call it by \"as\""},
    {"removePlan",          {"plan"},                                               "a plan that has not begun, and on which no other depends"},
    {"skipPlan",            {"plan", "cancel"},                                     "a plan that is not needed any more; one that has begun only with \"cancel\": true, which stops it"},
    {"setPlanDependencies", {"plan", "dependencies"},                               "all plans that a plan is to wait for, which has not begun"},
    {"setPlan",             {"plan", "name", "description"},                        "another name or description of a plan"},
    {"setObjective",        {"name", "description"},                                "another name or description of the objective"},
});

/// What the members of all operations are, as JSON Schema.
constexpr auto change_members = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"plan",         R"({"type": "string", "description": "the id or the name of a plan"})"},
    {"name",         R"({"type": "string"})"},
    {"description",  R"({"type": "string"})"},
    {"dependencies", R"({"type": "array", "items": {"type": "string"}})"},
    {"as",           R"({"type": "string"})"},
    {"cancel",       R"({"type": "boolean"})"},
});
// clang-format on

constexpr auto change_reply_members =
    std::to_array<std::string_view>({"operations", "assumptions", "noPlan"});

/// Of the tasks of a plan that is added, as of a plan that is made.
json::value tasks_schema(const std::vector<std::string>& agents) {
  return plan_reply_schema(agents).at("properties").at("tasks");
}

std::string change_system(const planning_order& of, std::string_view mark) {
  std::string out = "You change the plans of an objective that is under way. Read what the user "
                    "says about how it "
                    "is to go on, and reply with one JSON object and nothing else. Its member "
                    "\"operations\" is a "
                    "list of changes, which are made in their order. Each has a member \"op\":\n";
  for (const auto& row : change_table) {
    out += "- " + troupe::quoted(row.op) + ", with ";
    std::string names;
    for (const auto member : row.members)
      if (!member.empty())
        names += (names.empty() ? "" : ", ") + troupe::quoted(member);
    out += names + ": " + std::string(row.meaning) + "\n";
  }
  return out + "A task of a plan has these members:\n" + task_member_lines()
         + "Further members of the reply: \"assumptions\", a list of what you have assumed; "
           "\"noPlan\", in place of operations, if nothing can or need be changed: why. What has "
           "begun stays, unless it is skipped. Make no more changes than are needed. "
         + (question_rule(of) == questions::allowed ? std::string(
                "Only if you cannot do it without knowing more, reply with "
                "\"question\" in place of operations: one question to the person who "
                "said it; and with \"choices\", if one of these texts is its answer. ")
                                                    : std::string{})
         + material_rule(mark) + " " + agents_rule(of.agents);
}

template<class Names>
result<void> check_change_members(const json::object& from, const Names& known,
                                  const std::string& where) {
  for (const auto& each : from)
    if (std::ranges::find(known, std::string_view(each.key())) == std::end(known))
      return wrong_reply(where + "/" + std::string(each.key()),
                         "unknown member" + did_you_mean(each.key(), known));
  return {};
}

result<void> check_operation(const json::value& from, const std::vector<std::string>& agents,
                             const std::string& where) {
  const auto* members = from.if_object();
  if (members == nullptr)
    return wrong_reply(where, "must be an object");
  const auto op = text_in(from, "op");
  const auto row = std::ranges::find(change_table, std::string_view(op), &change_row::op);
  if (row == change_table.end()) {
    std::string known;
    for (const auto& each : change_table)
      known += (known.empty() ? "" : ", ") + std::string(each.op);
    return wrong_reply(where + "/op", "must be one of " + known);
  }
  std::vector<std::string_view> names(row->members.begin(), row->members.end());
  names.emplace_back("op");
  if (auto fine = check_change_members(*members, names, where); !fine)
    return fine;
  if (op != "addPlan")
    return {};
  const auto* tasks = members->if_contains("tasks");
  if (tasks == nullptr || !tasks->is_array() || tasks->get_array().empty())
    return wrong_reply(where + "/tasks", "must be a list of tasks");
  return check_planned_tasks(tasks->get_array(), agents, where + "/tasks");
}

} // namespace

json::object change_reply_schema(const std::vector<std::string>& agents, questions rule) {
  json::object properties;
  json::array ops;
  for (const auto& row : change_table)
    ops.emplace_back(row.op);
  properties["op"] = json::object{{"type", "string"}, {"enum", std::move(ops)}};
  for (const auto& [name, schema] : change_members)
    properties[name] = json::parse(schema);
  properties["tasks"] = tasks_schema(agents);
  json::object operation{{"type", "object"}};
  operation["properties"] = std::move(properties);
  operation["required"] = json::array{"op"};
  operation["additionalProperties"] = false;
  json::object reply;
  reply["operations"] = json::object{{"type", "array"}, {"items", std::move(operation)}};
  reply["assumptions"] = json::parse(R"({"type": "array", "items": {"type": "string"}})");
  reply["noPlan"] = json::object{{"type", "string"}};
  if (rule == questions::allowed) {
    reply["question"] = json::object{{"type", "string"}};
    reply["choices"] = reply["assumptions"];
  }
  json::object out{{"type", "object"}};
  out["properties"] = std::move(reply);
  out["additionalProperties"] = false;
  return out;
}

models::chat_request change_request(const planning_order& of, std::string_view mark) {
  models::chat_request out;
  out.streams = false;
  out.messages = {{models::speaker::system, change_system(of, mark)},
                  {models::speaker::user,
                   objective_text(*of.so_far, mark) + "\nHow it is to go on:\n" + of.text}};
  add_exchanges(out, of);
  out.schema = change_reply_schema(of.agents, question_rule(of));
  return out;
}

result<planner_report> read_change_reply(std::string_view content,
                                         const std::vector<std::string>& agents, questions rule) {
  boost::system::error_code failed;
  auto tree = parse_json(models::plain_content(content), failed);
  if (failed)
    return wrong_reply("", "the reply is not JSON (" + json_fault(failed) + ")");
  if (!tree.is_object())
    return wrong_reply("", "the reply must be an object");
  const auto& from = tree.get_object();
  std::vector<std::string_view> known(change_reply_members.begin(), change_reply_members.end());
  if (rule == questions::allowed)
    known.insert(known.end(), {"question", "choices"});
  if (auto fine = check_change_members(from, known, ""); !fine)
    return fine.error();
  const auto* found = from.if_contains("operations");
  const auto* operations = found == nullptr ? nullptr : found->if_array();
  if (operations == nullptr || operations->empty()) {
    if (from.contains("question"))
      return read_question_reply(from);
    if (const auto reason = text_in(from, "noPlan"); !reason.empty())
      return planner_report{report_no_plan{"the model makes no change: " + reason}};
    return wrong_reply("/operations", "must be a list of operations; or give \"noPlan\"");
  }
  if (operations->size() > planned_operations_max)
    return wrong_reply("/operations", "has " + std::to_string(operations->size())
                                          + " operations; at most "
                                          + std::to_string(planned_operations_max) + " are taken");
  for (std::size_t i = 0; i < operations->size(); ++i)
    if (auto fine = check_operation((*operations)[i], agents, "/operations/" + std::to_string(i));
        !fine)
      return fine.error();
  auto read = opt::read_objective_operations(*operations, "/operations");
  if (!read)
    return make_error(errc::invalid_document, read.error().field + ": " + read.error().message,
                      read.error().field);
  report_replan out;
  out.operations = std::move(*read);
  if (const auto* all = from.if_contains("assumptions"); all && all->is_array())
    for (const auto& each : all->get_array())
      if (each.is_string())
        out.assumptions.emplace_back(each.get_string());
  return planner_report{std::move(out)};
}

} // namespace troupe
