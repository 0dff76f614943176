#include "actors/commands/once_answer.hpp"

#include "protocol/json/json_writer.hpp"
#include "protocol/record/record_json.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <utility>

namespace troupe {

namespace {

std::string text_of(const boost::json::object& in, const char* key) {
  const auto* found = in.if_contains(key);
  return found ? std::string{found->as_string()} : std::string{};
}

once_ptr with_answer(once condition, const std::string& text) {
  condition.answer = text;
  return std::make_shared<const once>(std::move(condition));
}

} // namespace

once_answer answer_with(change_report report) {
  once_answer out{.plan = report.plans_added.empty() ? report.plan : report.plans_added.back()};
  out.changed = std::move(report);
  return out;
}

std::string write_once_answer(const once_answer& answer) {
  std::string text;
  json_writer out(text);
  out.begin_object();
  out.optional_member("task", answer.task.str()).optional_member("context", answer.context);
  out.optional_member("objective", answer.objective.str());
  out.optional_member("plan", answer.plan.str());
  if (answer.message) {
    out.key("message");
    record::write(out, *answer.message);
  }
  if (answer.changed) {
    out.key("changed");
    record::write(out, *answer.changed);
  }
  out.end_object();
  return text;
}

result<once_answer> read_once_answer(const once& came) {
  try {
    const auto value = boost::json::parse(came.answer);
    const auto& in = value.as_object();
    once_answer out{task_id{text_of(in, "task")},
                    text_of(in, "context"),
                    objective_id{text_of(in, "objective")},
                    plan_id{text_of(in, "plan")},
                    nullptr,
                    std::nullopt};
    if (const auto* said = in.if_contains("message"))
      out.message = std::make_shared<const message>(record::message_from(said->as_object()));
    if (const auto* changed = in.if_contains("changed"))
      out.changed = record::change_report_from(changed->as_object());
    return out;
  } catch (const std::exception& e) {
    return make_error(errc::store_failed,
                      std::string{"The answer of what came before is damaged: "} + e.what());
  }
}

std::vector<once_ptr> answered(const once_conditions& conditions, const once_answer& answer) {
  std::vector<once_ptr> out;
  if (!conditions)
    return out;
  const auto text = write_once_answer(answer);
  for (const auto& each : *conditions)
    out.push_back(with_answer(each, text));
  return out;
}

std::vector<once_ptr> answered(const std::vector<once_ptr>& conditions, const once_answer& answer) {
  std::vector<once_ptr> out;
  const auto text = write_once_answer(answer);
  for (const auto& each : conditions)
    out.push_back(with_answer(*each, text));
  return out;
}

} // namespace troupe
