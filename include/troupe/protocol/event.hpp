// Events: what has happened to an objective, plan or task; and the unit in which events become
// durable and visible: a `change`. Actors make events, the store writes them, the ledger applies
// them, watchers see them. Only events change a record.
#pragma once

#include <troupe/protocol/edits.hpp>
#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/model_usage.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/objective_operation.hpp>
#include <troupe/protocol/once.hpp>
#include <troupe/protocol/plan_change.hpp>
#include <troupe/protocol/plan_state.hpp>
#include <troupe/protocol/progress.hpp>
#include <troupe/protocol/rollup.hpp>
#include <troupe/protocol/spec.hpp>
#include <troupe/protocol/task.hpp>
#include <troupe/protocol/task_life.hpp>
#include <troupe/protocol/task_state.hpp>
#include <troupe/protocol/time.hpp>
#include <troupe/protocol/trace.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace troupe {

// -- facts about an objective (change.task empty) -------------------------------------------------

struct objective_created {
  objective_spec_ptr spec; ///< With the plans it was created with.
  task_id root_task;       ///< May be empty.
  std::string owner{};     ///< Whose it is (owner_of).
  trace_ptr trace{};       ///< Of the request that made it; its tasks have the same.
};

/// Fields of an objective were edited (`objectives/update`). Without edits its structure stays.
struct objective_edited {
  edits edited{};
  model_usage used{}; ///< By who has planned it.
};

struct objective_moved {
  objective_event on;
  std::string reason;

  [[nodiscard]] objective_state to() const noexcept { return leads_to(on); }
};

struct plan_added {
  plan_spec_ptr spec; ///< Its index is the number of plans before it.
  bool start = false; ///< It was added to begin as soon as what it depends on allows.
  /// Of the objective after the change; 0: the next one. Plans that are added with other changes
  /// have the revision of all of it.
  std::uint64_t revision = 0;
};

/// Fields of a plan were edited (`plans/update`).
struct plan_edited {
  std::uint32_t plan;
  edits edited;
};

struct plan_moved {
  std::uint32_t plan;
  plan_event on;
  std::string reason;
  bool requested = false; ///< Skipped by request.

  [[nodiscard]] plan_state to() const noexcept { return leads_to(on); }
};

/// Tasks of a plan that end and have not begun (their plan failed or was canceled, a task on which
/// they depend failed, or a change of their plan removed, skipped or completed them).
struct tasks_withdrawn {
  std::uint32_t plan;
  std::vector<std::uint32_t> tasks;
  task_state to; ///< canceled, completed or failed
  std::string reason;
  boost::json::object metadata{};        ///< Of the request that took them, if there was one.
  std::vector<artifact_ptr> artifacts{}; ///< Of a task that somebody else completed.
};

/// Tasks of a plan that are pending again, each as a new A2A task (`generation` grows).
struct tasks_renewed {
  std::uint32_t plan;
  std::vector<std::uint32_t> tasks;
};

/// The shape of a plan was changed. In the same change, tasks_renewed comes before it for the tasks
/// that stand in their places again, and tasks_withdrawn after it for those that were removed,
/// skipped or completed before they began.
struct plan_changed {
  std::uint32_t plan;
  std::vector<applied_operation> operations; ///< As applied, in this order.
  std::string author;                        ///< The caller who asked for it (owner_of).
  std::string reason;                        ///< In words; may be empty.
  std::uint64_t revision = 0;                ///< The revision of the objective after this change.
};

/// The objective was changed: its fields, those of its plans, or their order. In the same change,
/// plan_added comes before it for each plan that it brings, and plan_moved and tasks_withdrawn come
/// after it for plans that were removed, or skipped before they began.
struct objective_changed {
  std::vector<applied_objective_operation> operations; ///< As applied, in this order.
  std::string author;                                  ///< The caller who asked for it (owner_of).
  std::string reason;                                  ///< In words; may be empty.
  std::uint64_t revision = 0; ///< The revision of the objective after this change.
};

/// A pause begins or ends by request: of the whole objective, or of one plan.
struct pause_changed {
  bool paused = false;
  std::optional<std::uint32_t> plan{};
  /// The objective is planned anew, and the pause ends with that. Another pause, or its end, takes
  /// its place.
  bool for_planner = false;
};

/// The end of the objective was requested: it becomes `to` when none of its tasks runs any more.
struct objective_closing {
  objective_state to; ///< canceled, failed or completed
  std::string reason;
};

// -- facts about one task (change.task set) -------------------------------------------------------

/// The A2A task begins to exist, as SUBMITTED. `record` is complete (the history of a lone task has
/// its message).
struct task_created {
  std::shared_ptr<task> record; ///< Handed over: the sender keeps no copy.
};

struct task_moved {
  task_state to;
  std::uint32_t attempt;
  message_ptr message; ///< The status message; may be null.
  /// Attempts that have failed so far. One more than before: this event ends a failed attempt, and
  /// the next one waits for its backoff.
  std::uint32_t failures = 0;
  /// With an attempt that begins: the outside party that took it; empty: this server's agent.
  std::string taken_by{};
};

// The change that makes the task INPUT_REQUIRED or AUTH_REQUIRED opens a question. The change that
// moves it to another state closes the question.

struct question_opened {
  std::shared_ptr<const question> asked;
};

struct question_answered {
  std::string id;
  std::string by{};      ///< Who answered; not known of what was recorded before.
  std::string message{}; ///< Id of the message that answered.
  answer_action action = answer_action::accept;
};

/// Its deadline has passed.
struct question_expired {
  std::string id;
};

/// Its agent no longer needs the answer, or has ended.
struct question_withdrawn {
  std::string id;
  std::string reason;
};

/// Somebody is about to answer it. It replaces the claim before.
struct question_claimed {
  std::string id;
  input_claim claim;
};

/// The claim is given up.
struct question_released {
  std::string id;
  std::string by{}; ///< Who gave it up.
};

/// It is still open after the time from one reminder to the next. Streams and notifications show
/// the message as a status of the task, which stays as it is.
struct question_reminded {
  std::string id;
  message_ptr message; ///< Asks again.
  task_state state = task_state::input_required;
  std::uint32_t count = 1; ///< Which reminder it is.
};

/// A task that has begun waits for a slot: for its next attempt, or to go on.
struct task_queued {};

/// The task goes on with the attempt that it had begun.
struct task_resumed {};

/// The agent recorded a note with its attempt. It replaces the note before.
struct task_noted {
  std::string note;
};

/// A message was appended to the task's history: a message of the agent while it works, or a
/// message to the task.
struct task_message {
  message_ptr message;
  task_state state = task_state::working; ///< That the task was in, and stays in.
};

/// Whether the message is from the task's agent. Streams and notifications show such a message;
/// they do not show messages to the task.
[[nodiscard]] inline bool is_from_agent(const task_message& said) noexcept {
  return said.message && said.message->from == role::agent;
}

struct task_artifact {
  artifact_ptr artifact;
  /// Adds the parts to the artifact with that id; else replaces or creates it.
  bool append = false;
  bool last_chunk = false;
};

struct task_progress {
  progress_ptr progress;
};

using event =
    std::variant<objective_created, objective_edited, objective_moved, plan_added, plan_moved,
                 plan_changed, tasks_withdrawn, tasks_renewed, pause_changed, objective_closing,
                 task_created, task_moved, task_message, task_artifact, task_progress,
                 question_opened, question_answered, question_expired, question_withdrawn,
                 task_queued, task_resumed, task_noted, plan_edited, objective_changed,
                 question_claimed, question_released, question_reminded>;

/// The place of a task: its plan, or none.
struct task_address {
  task_id id;
  bool lone = true;             ///< Not part of a plan.
  std::uint32_t plan_index = 0; ///< If not lone.
  std::uint32_t task_index = 0; ///< If not lone.
};

/// Events that become durable together and visible together, in this order. All concern one
/// objective (`task` empty: the objective and its plans; set: one of its tasks), or one lone task.
struct change {
  std::string context; ///< Objective id, or the lone task's contextId.
  task_address task;   ///< `task.id` empty: facts about the objective.
  timestamp at{};
  /// Counts within the stream (objective or lone task) from 1; the ledger sets it.
  std::uint64_t sequence = 0;
  std::vector<event> events;
  /// The caller of the command (owner_of), if the events are its direct consequence.
  std::optional<std::string> by{};
  /// The change is made only if none of these came before. The store keeps them beside the change;
  /// they are not part of the history. A change of nothing else may have some, too. Changes that
  /// share a condition (the same object) belong to one command: all of them are made, or none.
  std::vector<once_ptr> conditions{};
  /// How far the objective is after it. The ledger says so to those who watch the objective; it is
  /// not part of the history.
  std::optional<rolled_up> progress{};

  /// The store's name for the sequence this belongs to: the objective's id or the lone task's.
  [[nodiscard]] const std::string& stream() const {
    return !task.id.empty() && task.lone ? task.id.str() : context;
  }
};

using change_ptr = std::shared_ptr<const change>;

} // namespace troupe
