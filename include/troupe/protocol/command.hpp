// Commands: what clients ask for. The same value for every version and binding. Every command has
// its principal.
#pragma once

#include <troupe/protocol/edits.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/model_usage.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/objective_operation.hpp>
#include <troupe/protocol/once.hpp>
#include <troupe/protocol/plan_change.hpp>
#include <troupe/protocol/plan_state.hpp>
#include <troupe/protocol/principal.hpp>
#include <troupe/protocol/spec.hpp>
#include <troupe/protocol/task_life.hpp>
#include <troupe/protocol/task_state.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// A command that changes something may have a `request_id`. If it comes again from the same
/// principal, with the same content, it is not done a second time; it is answered with the object
/// of the first, as it is then. Empty: every command is done.
/// `conditions`: made by the gateway, of the request's id and the like.

/// SendMessage / message/send and their streaming forms. `history_length` etc. concern the answer,
/// not the work.
struct send_message {
  principal who;
  troupe::message message;
  boost::json::object metadata;
  std::vector<std::string> accepted_output_modes;
  /// Answers only the question of that id (question_address, or the id within the task that the
  /// message names); empty: the question that is open when the message arrives.
  std::string question{};
  answer_action action = answer_action::accept; ///< If it is an answer.
  std::string by{};          ///< Who answers, in the client's words; empty: the principal.
  std::string traceparent{}; ///< W3C Trace Context section 3.2, as received; empty: none.
  std::string tracestate{};  ///< W3C Trace Context section 3.3, as received; empty: none.
  std::string request_id{};
  /// Header `Idempotency-Key`; empty: none. As a `request_id`, but for a day
  /// (idempotency_key_window).
  std::string idempotency_key{};
  once_conditions conditions{};
};

/// Which parts of a task are shown.
struct task_view_options {
  std::optional<std::uint32_t> history_length{}; ///< Absent: all. 0: none.
  bool include_artifacts = true;
  bool include_progress = false; ///< For a client that activated the Task Progress extension.
  /// The open question in the words of kagent's extension "Human in the Loop", for a client that
  /// activated it.
  bool include_hitl = false;
  /// For a client that activated OPT: the times of a task that is of no plan, too, and the open
  /// question in the message that asks.
  bool include_opt = false;
  /// The objective for which a task stands, to be shown in its metadata (docs/a2a.md, D15).
  const objective_view* objective = nullptr;
};

/// GetTask / tasks/get.
struct get_task {
  principal who;
  task_id id;
  task_view_options view;
};

/// ListTasks.
struct list_tasks {
  principal who;
  std::string context; ///< Empty: any.
  std::optional<task_state> state;
  std::optional<timestamp> status_after; ///< Inclusive.
  std::uint32_t page_size = 50;          ///< 1 to 100.
  std::string page_token;
  task_view_options view{.history_length = std::nullopt, .include_artifacts = false};
};

/// CancelTask / tasks/cancel.
struct cancel_task {
  principal who;
  task_id id;
  boost::json::object metadata;
  /// True: for a task that is already canceled the answer is an error; false: the task
  /// (docs/a2a.md, D10).
  bool refuses_repeated = false;
  std::string request_id{};
  once_conditions conditions{};
};

/// SubscribeToTask / tasks/resubscribe.
struct subscribe_to_task {
  principal who;
  task_id id;
};

/// objectives/create, or a plan file. Two phases: nothing runs before it is started.
struct create_objective {
  principal who;
  objective_spec spec; ///< Ids may be empty; the gateway fills them in.
  bool start = false;
  /// Set if a message asked for it: then a root task stands for the objective
  /// (`objective_view::root_task`).
  message_ptr request;
  std::vector<std::string> accepted_output_modes{}; ///< Those of `request`.
  std::string traceparent{};                        ///< As in send_message.
  std::string tracestate{};
  std::string request_id{};
  once_conditions conditions{};
};

/// A fault of a command that is not the id of its object. An object that does not exist is said
/// first, whatever else is wrong.
using other_fault = std::optional<error>;

/// objectives/update.
struct update_objective {
  principal who;
  objective_id id;
  std::optional<objective_state> state{};
  edits edited{};
  std::optional<std::uint64_t> if_revision{}; ///< Refused if it is not the current one.
  std::string request_id{};
  once_conditions conditions{};
  other_fault wrong{};
  /// It pauses for the planner, or ends such a pause (pause_changed). If the objective is paused
  /// otherwise, or no longer, nothing changes. A pause for the planner that is there is refused.
  bool for_planner = false;
  model_usage used{}; ///< By who has planned it; counted for the objective.
};

/// objectives/get.
struct get_objective {
  principal who;
  objective_id id;
  bool include_plans = true;
  bool include_tasks = true;
};

/// What comes first in a list of objectives. Those of the same place are in order of their ids.
enum class objective_order : std::uint8_t {
  updated, ///< The last updated.
  created, ///< The last created.
  name,    ///< The first by the bytes of its name.
};

/// objectives/list.
struct list_objectives {
  principal who;
  std::vector<objective_state> states{}; ///< Empty: any.
  /// In name, description or id; the case of ASCII letters does not count. Empty: any.
  std::string text{};
  std::optional<timestamp> updated_after{}; ///< Inclusive.
  objective_order order = objective_order::updated;
  std::uint32_t page_size = 50;
  std::string page_token;
  bool include_plans = true;
  bool include_tasks = false;
};

/// plans/create.
struct create_plan {
  principal who;
  objective_id objective;
  plan_spec spec;
  bool start = false;
  bool starts_objective = false; ///< With all its plans, if it is submitted.
  std::string request_id{};
  once_conditions conditions{};
  std::optional<std::uint64_t> if_revision{}; ///< Of the objective, as in update_plan.
  other_fault wrong{};
};

/// plans/update.
struct update_plan {
  principal who;
  plan_id id;
  std::vector<wanted_operation> operations{}; ///< If there are any, nothing else is updated.
  std::optional<plan_state> state{};
  edits edited{};
  std::optional<std::uint64_t>
      if_revision{}; ///< Of the plan; refused if it is not its current one.
  std::string request_id{};
  once_conditions conditions{};
  other_fault wrong{};
};

/// Changes the shape of a plan, whole or not at all. What has begun is fixed.
struct change_plan {
  principal who;
  plan_id id;
  std::vector<wanted_operation> operations; ///< Applied one after the other (plan_operations_max).
  std::string reason;                       ///< Why, in words; may be empty.
  std::optional<std::uint64_t> if_revision; ///< As in update_plan.
  std::string request_id{};
  once_conditions conditions{};
  other_fault wrong{};
  bool dry_run = false; ///< Decided and answered as ever, but not done.
  /// The author in place of the principal: the task of the plan that asks (report_change).
  task_id by_task{};
};

/// Changes an objective and its plans, whole or not at all.
struct modify_objective {
  principal who;
  objective_id id;
  /// Applied one after the other (plan_operations_max).
  std::vector<wanted_objective_operation> operations;
  std::string reason;                       ///< Why, in words; may be empty.
  std::optional<std::uint64_t> if_revision; ///< As in update_objective.
  std::string request_id{};
  once_conditions conditions{};
  other_fault wrong{};
  bool dry_run = false; ///< Decided and answered as ever, but not done.
  /// It begins, with all its plans, if it is submitted. Of a message that joins it.
  bool starts = false;
  std::string author{}; ///< In the history; empty: its principal.
};

/// The author of what the planner has made.
inline constexpr std::string_view planner_author = "planner";

/// objectives/replan: a text says how it is to go on, and the planner makes a change of it.
struct replan_objective {
  principal who;
  objective_id id;
  std::string text{};
  std::string template_name{};                ///< Empty: none is asked for.
  boost::json::object params{};               ///< For that template.
  std::string reason{};                       ///< For the history; empty: the text.
  std::optional<std::uint64_t> if_revision{}; ///< As in update_objective.
  std::string request_id{};
  once_conditions conditions{};
  other_fault wrong{};
  bool dry_run = false; ///< Planned and answered as ever, but not done.
};

/// What a replan did, or would do.
struct replan_report {
  change_report change;
  /// As the planner made them. Empty if the request came before: the history has them.
  std::vector<wanted_objective_operation> operations{};
  boost::json::object note{}; ///< Who planned it, and why; as `opt/v1/planner` of plans.
};

/// plans/list: those of one objective.
struct list_plans {
  principal who;
  objective_id objective;
  std::vector<plan_state> states{};         ///< As they are shown (shown_states). Empty: any.
  std::string text{};                       ///< As in list_objectives.
  std::optional<timestamp> updated_after{}; ///< Inclusive.
  /// As in list_objectives; absent: the order of the objective.
  std::optional<objective_order> order{};
  std::uint32_t page_size = 50;
  std::string page_token{};
  bool include_tasks = false;
};

/// plans/history: the changes of a plan, the last ones first; or the plan as it was.
struct get_plan_history {
  principal who;
  plan_id id;
  std::optional<std::uint64_t> after{}; ///< Only revisions after this one.
  std::uint32_t page_size = 50;
  std::string page_token{};
  std::optional<std::uint64_t> at{}; ///< The shape at that revision, and no changes.
};

/// objectives/history: the changes of an objective and all its plans, the last ones first; or the
/// objective as it was. The members are those of get_plan_history.
struct get_objective_history {
  principal who;
  objective_id id;
  std::optional<std::uint64_t> after{};
  std::uint32_t page_size = 50;
  std::string page_token{};
  std::optional<std::uint64_t> at{};
};

/// plans/get.
struct get_plan {
  principal who;
  plan_id id;
  bool include_tasks = true;
};

/// inputs/list: the open questions, those that were asked first first.
struct list_inputs {
  principal who;
  objective_id objective{}; ///< Or the contextId of tasks without a plan. Empty: any.
  plan_id plan{};           ///< Empty: any.
  /// The position of `plan` in `objective`; the service finds both.
  std::optional<std::uint32_t> plan_index{};
  task_id task{}; ///< Empty: any.
  std::uint32_t page_size = 50;
  std::string page_token{};
};

/// inputs/get.
struct get_input {
  principal who;
  std::string id; ///< question_address.
};

/// inputs/answer.
struct answer_input {
  principal who;
  std::string id; ///< question_address.
  answer_action action = answer_action::accept;
  std::optional<boost::json::value> value{}; ///< A text, or anything else as data.
  std::string by{};                          ///< As in send_message.
  std::string request_id{};
  other_fault wrong{};
  bool overrides = false; ///< Also if somebody else has claimed it.
};

/// inputs/claim, inputs/release. They have no `request_id`, because they may be repeated: the same
/// claim again lasts longer, and a claim that is given up twice is given up.
struct claim_input {
  principal who;
  std::string id;   ///< question_address.
  std::string by{}; ///< As in send_message.
  bool overrides = false;
  other_fault wrong{};
  bool releases = false; ///< It gives the claim up.
};

/// In the metadata of an answer: true, if it overrides the claim of somebody else.
inline constexpr std::string_view override_claim_key = "opt/v1/override";

} // namespace troupe
