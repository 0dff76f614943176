// The extension point: an agent does tasks. All its tasks share one `agent`; each running task is
// an `agent_run`.
//
// The task's actor calls everything here, one call at a time, and no call may block. An agent that
// uses a process, a socket or a thread reports through its `agent_port`, which is thread-safe and
// may outlive the task.
//
// The smallest agent is a function: see `agent_registry::add(name, function)` and
// examples/custom_agent.
#pragma once

#include <troupe/actors/order_input.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/model_usage.hpp>
#include <troupe/protocol/plan_change.hpp>
#include <troupe/protocol/progress.hpp>
#include <troupe/protocol/task.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe {

/// The artifacts of a task on which this one depends.
struct dependency_result {
  task_id id;
  std::string key; ///< The id as written in the document; may be empty.
  std::string name;
  std::vector<artifact_ptr> artifacts;
  /// The names that references may use beside `name` (names_for_references).
  std::vector<std::string> called{};
};

/// A task that a message refers to (`referenceTaskIds`), as it was when the attempt began.
struct referenced_task {
  task_id id;
  std::vector<artifact_ptr> artifacts;
  /// Ids of the artifacts that a part names (`referenceArtifactId`); empty: no part names one.
  std::vector<std::string> pinned;
};

/// What an agent has to do in one attempt. Shared and immutable while the attempt runs.
struct order {
  task_id id;
  std::string context;
  std::uint32_t attempt = 1;
  std::string name; ///< Of the task; empty for a lone task.
  std::string description;
  order_input input; ///< `input.resolve()` is a copy of it as JSON.
  /// The request of a lone task, then all inputs that came before this start.
  std::vector<message_ptr> messages;
  std::vector<dependency_result> dependencies;
  std::vector<referenced_task> references; ///< Of all `messages`.
  /// Media types that the client accepts, as it wrote them; empty: any, or not known.
  std::vector<std::string> accepted_output_modes;
  std::string objective_name; ///< Empty for a lone task.
  std::string traceparent;    ///< W3C Trace Context; the same after a restart. Empty: none.
  std::string tracestate{};   ///< W3C `tracestate`, beside `traceparent`.
  /// Servers through which the order came, the first one first (trace_path_max).
  std::vector<std::string> path{};
  /// The earliest deadline of task, plan and objective; absent: there is none. The time-out of the
  /// attempt is none: it stands still while the task asks.
  std::optional<timestamp> deadline{};
  /// The last note of this attempt (report_note), if the attempt goes on after a restart.
  std::string note{};
  model_usage used{};      ///< By models for this task, in earlier processes.
  double time_scale = 1.0; ///< Agents that only wait multiply their times by this.

  /// The text of the messages. For a plan's task without messages: `input.text`, else its
  /// description, else its name.
  [[nodiscard]] std::string text() const;
};

using order_ptr = std::shared_ptr<const order>;

// -- what an agent may report ---------------------------------------------------------------------

struct report_progress {
  progress_report report; ///< Refused (and logged) if it breaks the extension's rules.
};

struct report_artifact {
  troupe::artifact artifact; ///< An empty `artifact_id` is filled in.
  bool append = false;
  bool last_chunk = true;
};

struct report_message {
  troupe::message message; ///< Appended to the history; an empty `message_id` is filled in.
};

/// The task becomes INPUT_REQUIRED (or AUTH_REQUIRED). The answer comes to `agent_run::on_answer`.
/// If `start` returned the question, it is called again in the same attempt, and `order::messages`
/// ends with the answer. Questions are shown and answered one at a time, in the order of asking.
struct report_question {
  std::string prompt;
  bool auth = false;
  std::string key{};          ///< Names the question in report_withdrawal.
  boost::json::object form{}; ///< JSON Schema of the answer; empty: any text.
  boost::json::object data{}; ///< Data about the question, for programs.
  /// Time from when it is shown until it expires (agent_run::on_question_ended).
  std::optional<std::chrono::milliseconds> open_for{};
  /// Time until those who may answer are reminded, and from then on until the next reminder; at
  /// least remind_after_min.
  std::optional<std::chrono::milliseconds> remind_after{};
};

/// The agent no longer needs the answer to the question of that key. If the question is open, the
/// task works again. If it is not shown yet, it is never shown. If it was answered already, nothing
/// happens.
struct report_withdrawal {
  std::string key;
  std::string reason; ///< For people; may be empty.
};

/// Kept with the attempt, and replaces its earlier note. At most note_bytes_max bytes; a longer
/// note fails the attempt. See agent::goes_on.
struct report_note {
  std::string note;
  bool tell_when_durable = false; ///< Then agent_run::on_noted follows.
};

/// Wants a change of the plan of its task, as `plans/modify` makes it; the task is the author.
/// agent_run::on_changed follows. At most task_changes_max at once. Refused for a lone task.
///
/// `key` names the change within the attempt. After a restart the same change (the same key) that
/// adds tasks is not made again: it is answered with the tasks that it has added.
///
/// With `waits`, the tasks that it adds are *called* by this task: the answer comes once all of
/// them have ended. How they end concerns this task alone. Until then it has no slot, and if its
/// attempt ends before, they are canceled. So the agent does nothing else meanwhile, but for
/// questions. Its time-out goes on.
struct report_change {
  std::string key;
  std::vector<wanted_operation> operations;
  std::string reason; ///< Why, for the history of the plan; may be empty.
  bool waits = false;
};

/// A called task that has ended.
struct called_task {
  task_id id;
  task_state state = task_state::completed;
  std::string reason; ///< The text of its last status; may be empty.
  std::vector<artifact_ptr> artifacts;
};

/// What became of a report_change.
struct change_outcome {
  std::string key;
  result<change_report> report;      ///< Or why nothing was changed.
  std::vector<called_task> called{}; ///< If it `waits`: the tasks that it has added.
};

/// How the agent took a cancel.
enum class cancel_outcome : std::uint8_t {
  acknowledged,  ///< The work has stopped.
  already_ended, ///< There was nothing left to stop.
  refused,       ///< The work goes on outside this process.
  no_answer,     ///< The program that does the work did not answer.
};

[[nodiscard]] std::string_view to_string(cancel_outcome outcome) noexcept;

/// The end of an attempt that had to stop (agent_run::on_cancel). If it had to stop because of its
/// timeout, the task's status has this outcome.
struct report_canceled {
  cancel_outcome outcome = cancel_outcome::acknowledged;
  std::string reason; ///< Why it was refused; may be empty.
  /// If the work was done by others behind the agent: how each took it, as entries of
  /// `troupe/v1/cancel` (docs/delegation.md).
  boost::json::array leaves{};
};

struct report_completed {
  std::vector<artifact> artifacts;
  std::string message; ///< Status message; may be empty.
};

struct report_failed {
  std::string reason;
  bool retry = true; ///< False: another attempt would fail, too (a command that does not exist).
};

struct report_rejected {
  std::string reason;
};

/// Answers the message that asked for a lone task, instead of doing a task. The sender gets this
/// message, no task is made and nothing is kept (A2A 1.0 section 3.1.1: a send leads to a task or
/// to a message). Context and message id are filled in. If there is a task already (a plan's, one
/// that has asked, one of an agent with restart_rule::fail or parallel_max), it completes with the
/// parts as artifact `reply`.
struct report_reply {
  troupe::message message;
};

using agent_report = std::variant<report_progress, report_artifact, report_message, report_question,
                                  report_completed, report_failed, report_rejected,
                                  report_withdrawal, report_note, report_canceled, report_change>;

/// Through it an agent reports to its task. Copyable and thread-safe. Reports after the end of the
/// attempt (a late result, a canceled task) are ignored.
class agent_port {
public:
  virtual ~agent_port() = default;
  virtual void report(agent_report reported) = 0;
  /// `agent_run::on_wake` will be called after `delay`, on the actor's clock.
  virtual void wake_after(std::chrono::nanoseconds delay) = 0;
  /// Whether the store keeps up with the reports (report_window_bytes_max). If it does not, an
  /// agent that hands on what somebody else sends stops reading until `agent_run::on_room`, which
  /// follows once. Else a fast sender fills the memory, and a cancel waits behind what it sent.
  [[nodiscard]] virtual bool has_room() { return true; }
};

using agent_port_ptr = std::shared_ptr<agent_port>;

/// How a question ended without an answer.
enum class question_end : std::uint8_t {
  expired,   ///< Its deadline passed.
  withdrawn, ///< The agent withdrew it (report_withdrawal).
  declined,  ///< The person who was asked gives no answer.
  canceled,  ///< The same; nobody wanted to choose.
};

/// One attempt that goes on after `agent::start` has returned. It is destroyed when the attempt is
/// over: release everything then.
class agent_run {
public:
  virtual ~agent_run() = default;
  /// Called right before `on_input` or `on_answer` if that message refers to tasks.
  virtual void on_references(const std::vector<referenced_task>& references);
  /// A message to the running task that answers no question. It may also come between a question
  /// and its answer, if it was sent before the agent asked.
  virtual void on_input(const message_ptr& input);
  /// The answer to the first question without an answer. The default calls `on_input`.
  virtual void on_answer(const message_ptr& answer);
  /// A question of that key ended without an answer. Returns whether the agent goes on without an
  /// answer; if not, the attempt fails. The default goes on only if the agent itself has withdrawn
  /// the question.
  [[nodiscard]] virtual bool on_question_ended(const std::string& key, question_end how);
  /// The last note with `tell_when_durable` is durable (report_note).
  virtual void on_noted();
  /// The store has caught up, after `agent_port::has_room` was false.
  virtual void on_room();
  /// A report_change was made, with `waits` also: what it added has ended; or it was refused.
  virtual void on_changed(const change_outcome& outcome);
  /// See agent_port::wake_after.
  virtual void on_wake();
  /// Asked right before `on_cancel`: what the attempt has used and has not reported yet, like a
  /// call of a model that is cut off (docs/models.md). It becomes a message of the task.
  [[nodiscard]] virtual std::optional<message> unreported() const;
  /// Called right before `on_cancel` if the canceler waits no longer than this for the report of
  /// how it went. An agent that cannot know by then reports cancel_outcome::no_answer in time.
  virtual void on_cancel_within(std::chrono::milliseconds within);
  /// The task is canceled, or has timed out: stop. Returns true if no report follows and the object
  /// may be destroyed at once. Else the object and the slot of the task are kept, and no next
  /// attempt begins, until the agent reports its end or its grace is over. The grace is the
  /// executor's `cancel_grace`, or cancel_grace_min if that is longer.
  virtual bool on_cancel();
  /// See on_cancel.
  [[nodiscard]] virtual std::chrono::nanoseconds cancel_grace_min() const noexcept { return {}; }
};

using agent_run_ptr = std::unique_ptr<agent_run>;

/// What `start` may return: done at once, or still running.
using start_result = std::variant<report_completed, report_failed, report_rejected, report_question,
                                  report_reply, agent_run_ptr>;

/// What may be done with a task that was running when the process died.
enum class restart_rule : std::uint8_t {
  next_attempt, ///< Give it to the agent again.
  /// To do it twice may do harm: fail it with a reason. Such an agent starts only after `working`
  /// is durable.
  fail
};

class agent {
public:
  virtual ~agent() = default;
  /// Begins an attempt, or continues it after its question. An exception fails it with its text.
  [[nodiscard]] virtual start_result start(const order_ptr& order, const agent_port_ptr& port) = 0;
  /// How many of its tasks may run at once; 0 = no limit.
  [[nodiscard]] virtual std::uint32_t parallel_max() const { return 0; }
  [[nodiscard]] virtual restart_rule on_restart() const { return restart_rule::next_attempt; }
  /// The same for one task, from its `input` (references are not replaced).
  [[nodiscard]] virtual restart_rule on_restart_of(const boost::json::object&) const {
    return on_restart();
  }
  /// Whether the attempt with this note goes on after a restart of the process. Then it keeps its
  /// number, and its order has the note. Called before on_restart.
  [[nodiscard]] virtual bool goes_on(const std::string&) const { return false; }
  /// Checks the `input` of a task before anything runs. The field of the error is a JSON pointer
  /// below `input` (`/seconds`). References are not replaced yet: accept a string with `${`, and
  /// check its value in `start`.
  [[nodiscard]] virtual result<void> check_input(const boost::json::object& input) const;
  /// Checks a task for an agent and its input (planning_options::agents).
  using planned_check =
      std::function<result<void>(const std::string& agent, const boost::json::object& input)>;
  /// Whether a task may have this input that a planner made from a text, and nobody has read: it
  /// runs no program and reaches no host of its own choice. `other` checks each agent to which the
  /// input lets it hand work. The default accepts every input.
  [[nodiscard]] virtual result<void> check_planned(const boost::json::object& input,
                                                   const planned_check& other) const;
  /// Checks the agents to which the input lets this one hand work, before anything runs: `other`
  /// says whether there is such an agent, and whether it takes that input. Errors as check_input.
  /// The default hands on nothing.
  [[nodiscard]] virtual result<void> check_handed_on(const boost::json::object& input,
                                                     const planned_check& other) const;
  /// Whether a value that a client gives may stand at this place of the input (a JSON pointer below
  /// it: `/argv/1`), as it does in a task of a template (docs/planner.md). There it is a value: it
  /// chooses no program, agent, tool or address. The default accepts every place.
  [[nodiscard]] virtual bool takes_value_at(std::string_view) const { return true; }
  /// Media types of the artifacts that it makes, and of the parts that it accepts; `text/*` and
  /// `*/*` are allowed. A message that accepts none of the first, or has a part that is none of the
  /// second, is refused (errc::content_type_not_supported).
  [[nodiscard]] virtual std::vector<std::string> output_modes() const {
    return {"text/plain", "application/json"};
  }
  [[nodiscard]] virtual std::vector<std::string> input_modes() const {
    return {};
  } ///< Empty: anything.
  /// Whether it can answer a short question with a message, without a task (docs/planner.md). Then
  /// `start` may get an order that belongs to no task; its attempt counts for no limit. The answer
  /// is report_reply, or what report_completed has as text. Anything else, or no end in time, makes
  /// the question a task.
  [[nodiscard]] virtual bool answers_directly() const { return false; }
  /// One line for people: `troupe agents`, the card's skill.
  [[nodiscard]] virtual std::string description() const { return {}; }
  /// Whether no attempt may begin now, because the process ends. A task that could begin stays as
  /// it is, and begins in the next process.
  [[nodiscard]] virtual bool begins_nothing() const { return false; }
};

using agent_ptr = std::shared_ptr<agent>;

/// Names that begin so are of agents that Troupe itself uses. Nobody is told of them.
inline constexpr std::string_view own_agent_prefix = "troupe.";

/// Agents by name. Filled before the executor starts, read-only afterwards.
class agent_registry {
public:
  using function = std::function<std::string(const order&)>;

  /// Finds also those of `others`, which outlives it; the default agent is theirs.
  [[nodiscard]] static agent_registry beside(const agent_registry& others);

  agent_registry& add(std::string name, agent_ptr who);
  /// An agent from a function that returns its text artifact at once. The function runs on an
  /// actor's thread: it must be short.
  agent_registry& add(std::string name, function work);
  /// Null if unknown.
  [[nodiscard]] agent_ptr find(std::string_view name) const;
  /// Sorted; without Troupe's own (own_agent_prefix).
  [[nodiscard]] std::vector<std::string> names() const;

  /// The agent of plain messages, and of tasks that name no agent.
  std::string default_agent = "echo";
  [[nodiscard]] const std::string& default_name() const noexcept {
    return others_ == nullptr ? default_agent : others_->default_name();
  }
  /// The agent of a task that names `name`; the default if it names none.
  [[nodiscard]] const std::string& name_or_default(const std::string& name) const {
    return name.empty() ? default_name() : name;
  }

private:
  std::map<std::string, agent_ptr, std::less<>> agents_;
  const agent_registry* others_ = nullptr; ///< Null: there are none.
};

/// A text artifact named `name`.
[[nodiscard]] artifact text_artifact(std::string name, std::string text);

} // namespace troupe
