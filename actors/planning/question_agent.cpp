#include "actors/planning/question_agent.hpp"

#include "actors/planning/asking.hpp"
#include "actors/planning/planned_by_task.hpp"
#include "actors/planning/planned_objective.hpp"
#include "actors/planning/question_task.hpp"
#include "actors/planning/replanning.hpp"
#include "protocol/opt/answer_text.hpp"
#include "protocol/owner_parts.hpp"

#include <atomic>
#include <charconv>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

namespace troupe {

namespace {

using is_over_ptr = std::shared_ptr<std::atomic<bool>>;

/// The note of an attempt: how often it has asked the planner.
constexpr std::string_view times_prefix = "asked ";

std::uint32_t times_asked(std::string_view note) {
  std::uint32_t out = 0;
  if (note.starts_with(times_prefix))
    std::from_chars(note.data() + times_prefix.size(), note.data() + note.size(), out);
  return out;
}

/// Asks once it is durable that it does. An attempt that is over adds no plans.
class question_run final : public agent_run {
public:
  question_run(is_over_ptr is_over, std::function<void()> ask)
      : is_over_(std::move(is_over)), ask_(std::move(ask)) {}
  ~question_run() override { is_over_->store(true); }
  void on_noted() override {
    if (const auto ask = std::exchange(ask_, nullptr))
      ask();
  }

private:
  const is_over_ptr is_over_;
  std::function<void()> ask_;
};

planning_query query_of(const planning_question& asked, std::vector<planner_exchange> said,
                        std::uint32_t attempt) {
  planning_query out;
  out.request.text = asked.text;
  out.request.is_active = true;
  out.request.is_within_objective = !asked.renames;
  out.request.suggested_name = asked.suggested_name;
  out.request.prefers_objective = asked.prefers_objective;
  out.said = std::move(said);
  limit_attempts(out, attempt);
  return out;
}

/// What the planner has made of the answer; if it has made nothing, a task for the text with all
/// that was said.
objective_spec plans_of(const planned_message* planned, const planning_query& query) {
  const bool is_planned = planned != nullptr && planned->made.objective
                          && planned->made.who != planner::decider::preference;
  if (is_planned)
    return *planned->made.objective;
  objective_spec out;
  auto only = plan_of_text(text_with_answers(query.request.text, query.said),
                           planner::name_of_text(query.request.text));
  out.plans.push_back(std::make_shared<const plan_spec>(std::move(only)));
  return out;
}

/// The objective is planned anew with the answer. It is its own owner's doing.
void ask_anew(gateway& to, const order_ptr& order, const agent_port_ptr& port,
              const planning_query& query, const is_over_ptr& is_over) {
  to.records().read_objective(objective_id{order->context}, [&to, order, port, query, is_over](
                                                                const result<objective_ptr>& now) {
    if (!now)
      return port->report(report_failed{now.error().message});
    replan_objective command;
    command.who = principal_of((*now)->owner);
    command.id = (*now)->id;
    command.text = query.request.text;
    replan_answered(to, std::move(command), {order->id, query.said, query.attempt},
                    [port, is_over](const result<replan_report>& done) {
                      // If the process ends, the task is taken up again.
                      if (is_over->load() || (!done && done.error().code == errc::unavailable))
                        return;
                      if (done)
                        return port->report(report_completed{{}, "the objective was changed"});
                      port->report(report_failed{done.error().message, false});
                    });
  });
}

} // namespace

start_result question_agent::start(const order_ptr& order, const agent_port_ptr& port) {
  const auto asked = read_planning_question(order->input.resolve());
  if (!asked)
    return report_failed{asked.error().message, false};
  if (order->messages.empty()) {
    report_question out;
    out.prompt = asked->prompt;
    out.form = asked->form;
    return out;
  }
  auto said = asked->said;
  said.push_back({asked->prompt, words_of_answer(*order->messages.back())});
  const auto times = times_asked(order->note) + 1;
  const auto query = query_of(*asked, std::move(said), times);
  const auto is_over = std::make_shared<std::atomic<bool>>(false);
  auto ask = [&to = to_, order, port, query, is_over, renames = asked->renames,
              replans = asked->replans] {
    if (replans)
      return ask_anew(to, order, port, query, is_over);
    ask_about(
        to, objective_id{order->context}, query,
        [&to, order, port, query, is_over, renames](const result<planned_message_ptr>& planned) {
          // If the process ends, the task is taken up again.
          if (is_over->load() || (!planned && planned.error().code == errc::unavailable))
            return;
          const auto* made = planned ? planned->get() : nullptr;
          if (made)
            count_used(to, objective_id{order->context}, made->used);
          if (made && made->answer)
            return port->report(report_completed{{answer_as_artifact(*made->answer)}, {}});
          plans_of_task plans{plans_of(made, query), renames, {}, "the planner was answered"};
          if (made)
            plans.note = made->note();
          else
            plans.note = {{"who", planner::to_string(planner::decider::nobody)},
                          {"problem", planned.error().message}};
          add_plans(to, *order, std::move(plans), port);
        });
  };
  port->report(report_note{std::string(times_prefix) + std::to_string(times), true});
  return std::make_unique<question_run>(is_over, std::move(ask));
}

bool question_agent::goes_on(const std::string& note) const {
  return times_asked(note) > 0;
}

result<void> question_agent::check_input(const boost::json::object& input) const {
  if (const auto read = read_planning_question(input); !read)
    return read.error();
  return {};
}

std::string question_agent::description() const {
  return "Asks what the planner wants to know";
}

} // namespace troupe
