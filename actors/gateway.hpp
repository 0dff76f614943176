// The door between the world of threads (HTTP sessions, the command line, a C++ program) and the actors. Takes a command, finds or
// spawns the actor it concerns, and sends it on. Never waits: the answer arrives through the `reply`.
//
// A plain thread-safe object, not an actor: finding is a look-up in a sharded directory and spawning is thread-safe, so an actor
// here would only be a queue that all requests share.
//
// Reads (GetTask, ListTasks, objectives/get, watching) do not pass here: ask the store.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "actors/agent.hpp"
#include "actors/limits.hpp"
#include "protocol/command.hpp"
#include "protocol/errc.hpp"
#include "protocol/ids.hpp"
#include "store/store.hpp"

namespace troupe {

/// Called exactly once, on any thread, after what it tells is durable and visible. Must not block.
template<class T>
using reply = std::function<void(result<T>)>;

/// What a message led to.
struct sent {
  task_id task;        ///< The task that took the message: a new one, or the one it named.
  std::string context; ///< Its contextId.
  bool created = false; ///< False too if the same message came before (`executor_options::deduplicate_seconds`).
  message_ptr answer; ///< The agent answered with this message instead of taking a task: there is none of that id.
};

class manual_clock;

struct executor_options {
  std::size_t threads = 0;      ///< Of the actor scheduler; 0 = one per core.
  double time_scale = 1.0;      ///< Agents that only wait (`sleep`, scripted delays) multiply their times by this.
  std::uint32_t parallel_max = 0; ///< No new objective gets a larger one, whatever it asks for; 0 = no limit.
  // A refusal calls these what the settings do: `limits.live-tasks`.
  std::size_t live_tasks_max = troupe::live_tasks_max;
  std::size_t live_bytes_max = troupe::live_bytes_max;
  std::size_t backlog_changes_max = troupe::backlog_changes_max;
  std::chrono::milliseconds cancel_grace{5000}; ///< How long a canceled agent may take to stop; see agent_run::on_cancel.
  std::chrono::seconds settled_linger{60}; ///< How long a settled objective stays in memory.
  std::uint32_t deduplicate_seconds = 0; ///< How long a message that is sent again leads to the same task; 0 = it never does.
  clock_fn now = &system_now;
  /// Takes a line for the log about an agent that does what it must not; called on any thread, must not block. May be empty.
  std::function<void(const std::string&)> warn{};
  /// If set, actors run and time passes only as it says (then `threads` and `now` are not used). It outlives the gateway.
  manual_clock* by_hand = nullptr;
};

/// The actor system with all it needs, and its only entrance. Owns neither store nor agents: both outlive it.
class gateway {
public:
  gateway(store& records, const agent_registry& agents, executor_options options = {});
  /// Stops every actor where it stands (nothing is canceled: what was live is live after recovery), and waits for the store to have written
  /// what they said. If the disk refuses it does not wait: replies that depend on it are then errors.
  ~gateway();
  gateway(const gateway&) = delete;
  gateway& operator=(const gateway&) = delete;

  /// Sets going again what `records.recover()` returned.
  void resume(const recovered& what);

  /// Without a task id in the message: a new lone task of the default agent, `follow` watching it from its first event on; or, with
  /// `opt/v1/objective` or `opt/v1/plan` in the message's metadata read by the caller, see `create`. With a task id: goes to that task (`follow` is ignored).
  /// An agent may answer with a message instead (`sent::answer`): then there is no task, and `follow` hears nothing.
  /// Errors: task_not_found, unsupported_operation (terminal), invalid_params (context mismatch, a reference to what is not there,
  /// another message of the same id), content_type_not_supported, limit_exceeded, overloaded, unavailable.
  void send(send_message what, watcher_ptr follow, reply<sent> done);

  /// Answers with the task once CANCELED is durable; its agent may take `cancel_grace` longer to stop. Errors: task_not_found, task_not_cancelable.
  void cancel(cancel_task what, reply<task_ptr> done);

  /// Errors: duplicate_id, dependency_cycle, unknown_dependency, agent_not_found, invalid_params, limit_exceeded, overloaded, unavailable;
  /// and those of a message that makes a task, if a message asked for it.
  /// `follow` watches the objective with all its tasks from its first event on.
  void create(create_objective what, watcher_ptr follow, reply<objective_ptr> done);
  void update(update_objective what, reply<objective_ptr> done);
  void create(create_plan what, reply<plan_id> done);
  void update(update_plan what, reply<plan_id> done);

  /// Checks an objective as `create` would, and changes nothing.
  [[nodiscard]] result<void> check(const objective_spec& what) const;

  /// From now on new work is refused with errc::unavailable; what runs goes on.
  void drain();
  [[nodiscard]] bool draining() const noexcept;

  [[nodiscard]] store& records() noexcept;
  [[nodiscard]] const agent_registry& agents() const noexcept;

private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

} // namespace troupe
