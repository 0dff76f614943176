// The extension point of planning: makes plans of texts from which templates and the grammar make
// none (docs/planner.md). Values in, a report out.
//
// Everything here is called by an actor, one call at a time for each text, and no call may block. A
// planner that uses a socket or a thread reports through its `planner_port`, which is thread-safe.
// A planner that fails, throws or takes too long loses no message: it is as if it made no plan.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/model_usage.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/objective_operation.hpp>
#include <troupe/protocol/spec.hpp>
#include <troupe/protocol/task_state.hpp>
#include <troupe/protocol/time.hpp>

#include <boost/json/object.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace troupe {

/// What a task of an objective has come to.
struct task_outcome {
  task_id id;
  std::string plan; ///< The id of its plan.
  std::string name;
  task_state state = task_state::completed;
  std::vector<artifact_ptr> artifacts{}; ///< What it has made.
  std::string problem{};                 ///< Why it failed; may be empty.
};

/// An objective that is planned anew, as it stands.
struct objective_so_far {
  objective_ptr view;
  std::vector<task_outcome> outcomes; ///< Of tasks that have ended, in the order of the plans.
  /// Tasks whose outcomes are missing: more than replan_outcomes_max have ended, or what they have
  /// made has more than replan_outcome_bytes_max bytes.
  std::size_t left_out = 0;
};

/// What the planner has asked a person about a text, and what it was told.
struct planner_exchange {
  std::string question;
  std::string answer;
};

/// A text to plan. Shared and immutable.
struct planning_order {
  std::string text;
  std::string suggested_name;      ///< Of the objective; may be empty.
  std::string objective;           ///< In whose context the text was said: its id. Empty: in none.
  std::vector<std::string> agents; ///< Those that tasks may name. A task without one is for the
                                   ///< default agent.
  std::uint32_t attempt = 1;       ///< 2: it is asked once more, after a restart.
  timestamp deadline{};            ///< A later report is ignored.
  /// The objective as it stands, with what its tasks have made. Null: the text is about none.
  std::shared_ptr<const objective_so_far> so_far{};
  /// The text says how `so_far` is to go on: report_replan is asked for. Else a plan is.
  bool replans = false;
  std::vector<planner_exchange> said{}; ///< The first question first.
  std::uint32_t questions_left = 0;     ///< report_planner_question counts as no plan if it is 0.
  /// Whether the plan, or the change, could run if it were reported: a planner that can mend what
  /// it has made asks before. Errors say why not, with a JSON pointer as the field. May be called
  /// on any thread. Null: it is looked at only when it is reported.
  std::function<result<void>(const objective_spec& plan)> check_plan{};
  std::function<result<void>(const std::vector<wanted_objective_operation>& change)> check_change{};
};

using planning_order_ptr = std::shared_ptr<const planning_order>;

/// What is to be done. The name may be missing. Ids are left out.
struct report_plan {
  objective_spec objective;
  std::vector<std::string> assumptions; ///< For people.
  model_usage used{};                   ///< By a model; without calls: none was asked.
};

/// What an objective that is planned anew is to become. A report_plan instead replaces the plans
/// that have not begun.
struct report_replan {
  std::vector<wanted_objective_operation> operations; ///< At least one.
  std::vector<std::string> assumptions{};
  model_usage used{};
};

/// The text needs no plan: this is its answer.
struct report_answer {
  std::string text;
  model_usage used{};
};

/// A person is to say more before there can be a plan. The planner is asked once more with the
/// answer (planning_order::said).
struct report_planner_question {
  std::string prompt;
  boost::json::object form{}; ///< JSON Schema of the answer; empty: any text.
  model_usage used{};
};

struct report_no_plan {
  std::string reason;
  model_usage used{};
  /// planner_failed, or budget_exceeded: it was not allowed to ask its model.
  errc code = errc::planner_failed;
  /// With budget_exceeded: its name (docs/models.md), `day-tokens`.
  std::string budget{};
};

using planner_report = std::variant<report_plan, report_replan, report_answer,
                                    report_planner_question, report_no_plan>;

/// Thread-safe; may outlive the planning. The first report counts.
class planner_port {
public:
  virtual ~planner_port() = default;
  virtual void report(planner_report reported) = 0;
};

using planner_port_ptr = std::shared_ptr<planner_port>;

/// A planning that goes on after `text_planner::plan` has returned. It is destroyed when nobody
/// waits for it any more: after its report, at its deadline, or because of a cancel.
class planner_run {
public:
  virtual ~planner_run() = default;
  /// What a model has used for it so far, if it is destroyed before its report.
  [[nodiscard]] virtual model_usage used() const { return {}; }
};

using planner_run_ptr = std::unique_ptr<planner_run>;

/// What `plan` may return: done at once, or still running.
using planner_start = std::variant<report_plan, report_replan, report_answer,
                                   report_planner_question, report_no_plan, planner_run_ptr>;

class text_planner {
public:
  virtual ~text_planner() = default;
  /// An exception counts as report_no_plan with its text.
  [[nodiscard]] virtual planner_start plan(const planning_order_ptr& order,
                                           const planner_port_ptr& port) = 0;
};

using text_planner_ptr = std::shared_ptr<text_planner>;

/// A template as JSON (docs/planner.md).
struct template_text {
  std::string json;
  std::string from{}; ///< Where it is from, for messages: a file. May be empty.
};

/// What clients are told of a template.
struct template_summary {
  std::string name;
  std::string description;
  std::vector<std::string> examples; ///< Messages that fit.
};

/// Who decides what becomes of a message (docs/planner.md).
struct planning_options {
  /// Without it each text is one task. Only a client that has activated the extension is planned
  /// for.
  bool is_on = true;
  /// Asked about texts from which templates and the grammar make no plan. Null: nobody is.
  text_planner_ptr planner{};
  /// The longest time that it may take.
  std::chrono::milliseconds budget{60'000};
  /// Agents that its tasks may name.
  std::vector<std::string> agents{};
  /// How long the default agent may take for a direct answer (agent::answers_directly).
  std::chrono::milliseconds answer_budget{2'000};
  /// Templates besides those of the program.
  std::vector<template_text> templates{};
};

} // namespace troupe
