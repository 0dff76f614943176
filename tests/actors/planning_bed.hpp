// What tests of planning share: a planner that does what a text says, and a gateway with it on the
// manual clock.
#pragma once

#include "actors/service/service.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"

#include <boost/json/serialize.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "planner/verdict.hpp"

namespace troupe::testing {

/// Answers what it knows, and hands the rest on.
class quick_agent final : public agent {
public:
  explicit quick_agent(std::shared_ptr<hand_agent> others) : others_(std::move(others)) {}
  start_result start(const order_ptr& order, const agent_port_ptr& port) override {
    if (order->text() == "2 + 2")
      return report_completed{{text_artifact("sum", "4")}, {}};
    if (order->text() == "Who fails?") {
      port->report(about_call());
      port->report(report_failed{"no answer", false});
      return std::make_unique<agent_run>();
    }
    if (order->text() == "Who breaks?")
      throw std::runtime_error("broken");
    if (order->text() == "Who speaks?") { // In pieces, and once it begins anew.
      say(*port, "Wro", false);
      say(*port, "Par", false);
      say(*port, "is", true);
      port->report(about_call());
      port->report(report_completed{});
      return std::make_unique<agent_run>();
    }
    return others_->start(order, port);
  }
  [[nodiscard]] bool answers_directly() const override { return true; }
  [[nodiscard]] result<void> check_planned(const boost::json::object& input,
                                           const planned_check&) const override {
    if (input.contains("dies"))
      throw std::runtime_error("the check of the agent breaks");
    return {};
  }

private:
  /// What a model has used, as the agent `llm` says it.
  static report_message about_call() {
    report_message out;
    out.message.metadata[model_usage_key] =
        boost::json::object{{"promptTokens", 7}, {"answerTokens", 3}, {"ms", 500}};
    return out;
  }
  static void say(agent_port& to, const std::string& text, bool append) {
    report_artifact chunk{text_artifact("answer", text), append, false};
    chunk.artifact.artifact_id = "answer";
    to.report(std::move(chunk));
  }

  std::shared_ptr<hand_agent> others_;
};

/// Does what the text says.
class hand_planner final : public text_planner {
public:
  planner_start plan(const planning_order_ptr& order, const planner_port_ptr& port) override {
    orders.push_back(order);
    ports.push_back(port);
    const auto says = [&](const char* word) { return order->text.find(word) != std::string::npos; };
    if (says("inquire") && order->said.size() < questions)
      return report_planner_question{"Which city?", form, {1, 10, 5, 100}};
    if (order->replans && says("skip"))
      return report_replan{{skip_plan<std::string>{"q"}}};
    if (says("die"))
      return report_plan{steps("", {{"dies", true}}), {}};
    if (says("throw"))
      throw std::runtime_error("it broke");
    if (says("decline"))
      return report_no_plan{"too hard"};
    if (says("answer"))
      return report_answer{"42"};
    if (says("forbidden"))
      return report_plan{steps("command"), {}};
    if (says("plan"))
      return report_plan{steps(""), {"both are needed"}, {1, 20, 10, 200}};
    return std::make_unique<unending>();
  }
  static objective_spec steps(const std::string& agent, const boost::json::object& input = {}) {
    plan_spec plan;
    plan.name = "two";
    for (const auto* name : {"first", "second"}) {
      task_spec task;
      task.name = name;
      task.agent = agent;
      task.input = input;
      plan.tasks.push_back(std::move(task));
    }
    objective_spec out;
    out.name = "made by the planner";
    out.plans.push_back(std::make_shared<const plan_spec>(std::move(plan)));
    return out;
  }

  /// A model of it has used something when it is given up.
  struct unending final : planner_run {
    [[nodiscard]] model_usage used() const override { return {1, 30, 0, 0, 0, true}; }
  };

  std::vector<planning_order_ptr> orders;
  std::vector<planner_port_ptr> ports;
  std::size_t questions = 1; ///< That it asks about a text.
  boost::json::object form{{"type", "string"}, {"enum", {"Oslo", "Rome"}}};
};

inline executor_options with_planner(const std::shared_ptr<hand_planner>& own) {
  executor_options out;
  out.planning.planner = own;
  return out;
}

/// A service on the manual clock, whose process may end.
struct service_bed : clock_bed {
  using clock_bed::clock_bed;

  objective_ptr whole(const objective_id& id) {
    objective_ptr out;
    records().read_objective(id, [&](const result<objective_ptr>& now) { out = now.value(); });
    return out;
  }
  task_ptr record(const task_id& id) {
    task_ptr out;
    records().read_task(id, [&](const result<task_ptr>& now) { out = now ? *now : nullptr; });
    return out;
  }
  /// Why the answer to the question of the task is refused; empty: it is not.
  std::string answer(const task_id& id, const boost::json::value& value,
                     answer_action action = answer_action::accept) {
    answer_input command;
    command.id = id.str() + ".question-1";
    command.action = action;
    if (action == answer_action::accept)
      command.value = value;
    std::string out = "no answer";
    all->answer(std::move(command), [&](const result<shown_input>& done) {
      out = done ? std::string{} : done.error().message;
    });
    clock.settle();
    return out;
  }
  /// The end of the process, and another one that goes on.
  void begin_again(const objective_id& id) {
    recovered left;
    left.objectives.push_back(whole(id));
    if (const auto root = record(left.objectives[0]->root_task))
      left.lone_tasks.push_back(root);
    all.reset();
    stop();
    main_gateway().resume(left);
    clock.settle();
    all.emplace(main_gateway());
  }

  std::optional<service> all;
  std::shared_ptr<pending_send> sending;
};

struct planning_bed : service_bed {
  explicit planning_bed(executor_options how = {}) : service_bed(std::move(how)) {
    agents.add("quick", std::make_shared<quick_agent>(hand));
    agents.default_agent = "quick";
  }

  /// What a message of a client with the extension led to, if that is known without more time.
  std::optional<result<send_result>> say(const std::string& text,
                                         std::optional<bool> prefers = std::nullopt,
                                         const std::string& context = {}) {
    send_request request;
    request.command.message.message_id = "m";
    request.command.message.from = role::user;
    request.command.message.context_id = context;
    request.command.message.parts.push_back(text_part(text));
    request.planning = std::make_shared<planning_wishes>();
    request.planning->prefers_objective = prefers;
    all.emplace(main_gateway());
    sending = all->send(std::move(request), [] {});
    clock.settle();
    return sending->poll(true);
  }
  static std::string note_of(const objective_ptr& objective) {
    return boost::json::serialize(objective->metadata.at(planner::planner_key));
  }
};

} // namespace troupe::testing
