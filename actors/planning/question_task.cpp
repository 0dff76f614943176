#include "actors/planning/question_task.hpp"

#include "protocol/json/json_schema.hpp"
#include "protocol/json/text_in.hpp"
#include "protocol/opt/plan_params.hpp"

#include <boost/json/array.hpp>

#include <memory>
#include <utility>

namespace troupe {

namespace json = boost::json;

namespace {

json::value plain(const json::value& from) {
  if (const auto* text = from.if_string())
    return json::value(opt::without_references(*text));
  if (const auto* list = from.if_array()) {
    json::array out;
    for (const auto& each : *list)
      out.push_back(plain(each));
    return out;
  }
  if (const auto* members = from.if_object()) {
    json::object out;
    for (const auto& each : *members)
      out[each.key()] = plain(each.value());
    return out;
  }
  return from;
}

} // namespace

std::string question_fault(const report_planner_question& asked) {
  if (asked.prompt.empty())
    return "it has no words";
  if (asked.prompt.size() > planner_question_bytes_max)
    return "it has more than " + std::to_string(planner_question_bytes_max)
           + " bytes (planner_question_bytes_max)";
  if (asked.form.empty())
    return {};
  const auto fault = check_schema(asked.form);
  return fault ? "its form" + fault->pointer + ": " + fault->message : std::string{};
}

json::object write_planning_question(const planning_question& from) {
  json::object out{{"text", from.text}, {"question", from.prompt}};
  if (!from.form.empty())
    out["form"] = from.form;
  if (!from.suggested_name.empty())
    out["name"] = from.suggested_name;
  if (from.prefers_objective)
    out["prefersObjective"] = *from.prefers_objective;
  if (from.renames)
    out["renames"] = true;
  if (from.replans)
    out["replans"] = true;
  json::array said;
  for (const auto& each : from.said)
    said.push_back(json::object{{"question", each.question}, {"answer", each.answer}});
  if (!said.empty())
    out["said"] = std::move(said);
  return plain(out).get_object();
}

result<planning_question> read_planning_question(const json::object& from) {
  planning_question out;
  out.text = text_in(from, "text");
  out.prompt = text_in(from, "question");
  if (out.text.empty() || out.prompt.empty())
    return make_error(errc::invalid_params,
                      R"("text" and "question" must be texts: what is planned, and what is asked)",
                      out.text.empty() ? "/text" : "/question");
  if (const auto* form = from.if_contains("form"); form != nullptr && form->is_object())
    out.form = form->get_object();
  out.suggested_name = text_in(from, "name");
  if (const auto* prefers = from.if_contains("prefersObjective"); prefers && prefers->is_bool())
    out.prefers_objective = prefers->get_bool();
  const auto is_set = [&from](const char* name) {
    const auto* found = from.if_contains(name);
    return found != nullptr && found->is_bool() && found->get_bool();
  };
  out.renames = is_set("renames");
  out.replans = is_set("replans");
  if (const auto* said = from.if_contains("said"); said != nullptr && said->is_array())
    for (const auto& each : said->get_array())
      if (const auto* exchange = each.if_object())
        out.said.push_back({text_in(*exchange, "question"), text_in(*exchange, "answer")});
  return out;
}

objective_spec objective_that_asks(const planning_question& from) {
  task_spec asking;
  asking.name = "Answer the planner";
  asking.description = "Asks what the planner wants to know, and adds the plans that it makes then";
  asking.agent = question_agent_name;
  asking.input = write_planning_question(from);
  plan_spec plan;
  plan.name = "Question";
  plan.tasks.push_back(std::move(asking));
  objective_spec out;
  out.plans.push_back(std::make_shared<const plan_spec>(std::move(plan)));
  return out;
}

std::string text_with_answers(const std::string& text, const std::vector<planner_exchange>& said) {
  auto out = text;
  for (const auto& each : said)
    out += "\n\n" + each.question + "\n" + each.answer;
  return out;
}

} // namespace troupe
