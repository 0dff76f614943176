// The extension point: who does a task. An agent is shared by all its tasks; a running task of it is an `agent_run`.
//
// Everything here is called by the task's actor, one call at a time, and must not block. An agent with work of its own (a process, a
// socket, a thread) reports through its `agent_port`, which is thread-safe and may outlive the task.
//
// The smallest agent is a function: see `agent_registry::add(name, function)` and examples/custom_agent.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include <boost/json/object.hpp>

#include "protocol/errc.hpp"
#include "protocol/message.hpp"
#include "protocol/progress.hpp"
#include "protocol/task.hpp"

namespace troupe {

/// The artifacts of a task this one depends on.
struct dependency_result {
  task_id id;
  std::string key;  ///< The id as written in the document; may be empty.
  std::string name;
  std::vector<artifact_ptr> artifacts;
  std::vector<std::string> called{}; ///< What references may call it beside its name (names_for_references).
};

/// A task that a message refers to (`referenceTaskIds`), as it was when the attempt began.
struct referenced_task {
  task_id id;
  std::vector<artifact_ptr> artifacts;
  std::vector<std::string> pinned; ///< Ids of those that a part names (`referenceArtifactId`); empty: none in particular.
};

/// What an agent is asked to do. Shared and immutable while the attempt runs.
struct order {
  task_id id;
  std::string context;
  std::uint32_t attempt = 1;
  std::string name;        ///< Of the task; empty for a lone task.
  std::string description;
  boost::json::object input; ///< References already replaced.
  std::vector<message_ptr> messages; ///< A lone task's request; later inputs of earlier attempts.
  std::vector<dependency_result> dependencies;
  std::vector<referenced_task> references; ///< Of all `messages`.
  std::vector<std::string> accepted_output_modes; ///< Media types the client takes, as it wrote them; empty: any, or not known.
  std::string objective_name; ///< Empty for a lone task.
  std::string traceparent;
  double time_scale = 1.0; ///< Agents that only wait multiply their times by this.

  /// The text of the messages; of a plan's task without messages: `input.text`, else its description, else its name.
  [[nodiscard]] std::string text() const;
};

using order_ptr = std::shared_ptr<const order>;

// -- what an agent may report ------------------------------------------------------------------------------------------

struct report_progress {
  progress_report report; ///< Refused (and logged) if it breaks the extension's rules.
};

struct report_artifact {
  artifact what; ///< An empty `artifact_id` is given one.
  bool append = false;
  bool last_chunk = true;
};

struct report_message {
  message what; ///< Joins the history; an empty `message_id` is given one.
};

/// The task becomes INPUT_REQUIRED (or AUTH_REQUIRED) with this prompt; the answer arrives in `agent_run::on_answer`. Questions are shown one
/// at a time, and answered in the order in which they were asked.
struct report_question {
  std::string prompt;
  bool auth = false;
};

struct report_completed {
  std::vector<artifact> artifacts;
  std::string message; ///< Status message; may be empty.
};

struct report_failed {
  std::string reason;
  bool retry = true; ///< False: trying again is of no use (a command that does not exist).
};

struct report_rejected {
  std::string reason;
};

/// Answers the message that asked for a lone task instead of doing one: the sender gets it, no task is made and nothing is kept
/// (A2A 1.0 section 3.1.1: a send leads to a task or to a message). Context and message id are filled in. Where there is a task already (a
/// plan's, one that has asked, one of an agent with restart_rule::fail or parallel_max) it completes with the parts as artifact `reply`.
struct report_reply {
  message what;
};

using agent_report = std::variant<report_progress, report_artifact, report_message, report_question, report_completed,
                                  report_failed, report_rejected>;

/// The way from an agent back to its task; copyable, thread-safe. Reports after the attempt's end (a late result, a canceled
/// task) are ignored.
class agent_port {
public:
  virtual ~agent_port() = default;
  virtual void report(agent_report what) = 0;
  /// `agent_run::on_wake` will be called after `delay`, on the actor's clock.
  virtual void wake_after(std::chrono::nanoseconds delay) = 0;
};

using agent_port_ptr = std::shared_ptr<agent_port>;

/// One attempt that goes on after `agent::start` returned. Destroyed when the attempt is over: release everything then.
class agent_run {
public:
  virtual ~agent_run() = default;
  /// Comes right before `on_input` or `on_answer` if that message refers to tasks.
  virtual void on_references(const std::vector<referenced_task>& what);
  /// A message to the running task that nobody asked for. May still come between a question and its answer: it was on its way when the agent
  /// asked.
  virtual void on_input(const message_ptr& input);
  /// The answer to the first question not yet answered. Goes to `on_input` unless overridden.
  virtual void on_answer(const message_ptr& answer);
  /// See agent_port::wake_after.
  virtual void on_wake();
  /// The task is canceled, or its time is up: stop. Returns true if nothing more is to come and the object may be destroyed at once. Else it
  /// is kept, the task's slot with it, and no next attempt begins, until the agent reports its end or its grace is over: the executor's
  /// `cancel_grace`, or cancel_grace_min if that is longer.
  virtual bool on_cancel();
  /// See on_cancel.
  [[nodiscard]] virtual std::chrono::nanoseconds cancel_grace_min() const noexcept { return {}; }
};

using agent_run_ptr = std::unique_ptr<agent_run>;

/// What `start` may return: done at once, or still running.
using start_result = std::variant<report_completed, report_failed, report_rejected, report_question, report_reply, agent_run_ptr>;

/// What may be done with a task that was running when the process died.
enum class restart_rule : std::uint8_t {
  next_attempt, ///< Hand it to the agent again.
  fail          ///< Doing it twice may do harm: fail it with a reason. Such an agent starts only once `working` is durable.
};

class agent {
public:
  virtual ~agent() = default;
  /// Begins an attempt. Throwing fails the attempt with the exception's text.
  [[nodiscard]] virtual start_result start(const order_ptr& what, const agent_port_ptr& port) = 0;
  /// How many of its tasks may run at once; 0 = no limit.
  [[nodiscard]] virtual std::uint32_t parallel_max() const { return 0; }
  [[nodiscard]] virtual restart_rule on_restart() const { return restart_rule::next_attempt; }
  /// The same for one task: its `input` (references not replaced) may choose.
  [[nodiscard]] virtual restart_rule on_restart_of(const boost::json::object&) const { return on_restart(); }
  /// Checks a task's `input` before anything runs; the error's field is a JSON pointer below `input` (`/seconds`). References are not
  /// replaced yet: a string that holds `${` may become anything, so let it pass and look again in `start`.
  [[nodiscard]] virtual result<void> check_input(const boost::json::object& input) const;
  /// Media types of the artifacts it makes, and of the parts it takes; `text/*` and `*/*` are allowed. A message that asks for none of the
  /// first, or brings something else than the second, is refused (errc::content_type_not_supported).
  [[nodiscard]] virtual std::vector<std::string> output_modes() const { return {"text/plain", "application/json"}; }
  [[nodiscard]] virtual std::vector<std::string> input_modes() const { return {}; } ///< Empty: anything.
  /// One line for people: `troupe agents`, the card's skill.
  [[nodiscard]] virtual std::string description() const { return {}; }
};

using agent_ptr = std::shared_ptr<agent>;

/// Agents by name. Filled before the executor starts, read-only afterwards.
class agent_registry {
public:
  using function = std::function<std::string(const order&)>;

  agent_registry& add(std::string name, agent_ptr who);
  /// An agent out of a function that returns its text artifact at once. It runs on an actor's thread: keep it short.
  agent_registry& add(std::string name, function work);
  /// Null if unknown.
  [[nodiscard]] agent_ptr find(std::string_view name) const;
  /// Sorted.
  [[nodiscard]] std::vector<std::string> names() const;

  /// Does plain messages and tasks that name no agent.
  std::string default_agent = "echo";
  /// Who is meant by what a task says.
  [[nodiscard]] const std::string& name_or_default(const std::string& name) const { return name.empty() ? default_agent : name; }

private:
  std::unordered_map<std::string, agent_ptr> agents_;
};

/// A text artifact named `name`.
[[nodiscard]] artifact text_artifact(std::string name, std::string text);

} // namespace troupe
