// The actor system and its interface. It takes a command, finds or spawns the actor of that object,
// and sends the command to it. It never waits: the answer comes through the `reply`.
//
// A plain thread-safe object. Actors are found in a sharded directory and spawning is thread-safe,
// so that requests share no lock. Programs use it directly. An event loop attaches itself and gets
// its own gateway actor. Answers come to this actor as messages, and the loop's thread passes them
// on (actors/loop/loop_gateway.hpp). The gateway supervises these actors.
//
// The service (actors/service/service.hpp) has the reads (GetTask, ListTasks, objectives/get,
// watching), over the store.
#pragma once

#include <troupe/actors/agent.hpp>
#include <troupe/actors/limits.hpp>
#include <troupe/actors/text_planner.hpp>
#include <troupe/protocol/command.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/memory_budget.hpp>
#include <troupe/protocol/time_source.hpp>
#include <troupe/store/store.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace troupe {

/// Called exactly once, on any thread, after its result is durable and visible. Must not block.
template<class T>
using reply = std::function<void(result<T>)>;

/// The result of a message.
struct sent {
  /// The task that took the message: a new one, or the one that the message named.
  task_id task;
  std::string context; ///< Its contextId.
  bool created = false;
  /// The agent answered with this message instead of taking a task: then there is no task.
  message_ptr answer;
  /// Of a root task that was there: the time of its status when the message was taken. It may still
  /// show the question that the message answers, with this status.
  timestamp status_before{};
  /// The same message came before, and this is what it led to (docs/a2a.md, "The same message
  /// again").
  bool repeated = false;
  /// With `repeated`: the objective that the message made or joined; else empty.
  objective_id objective{};
};

class planning_desk;
class manual_clock;
class loop_gateway;

struct executor_options {
  std::size_t threads = 0; ///< Of the actor scheduler; 0 = one per core.
  /// Agents that only wait (`sleep`, scripted delays) multiply their times by this.
  double time_scale = 1.0;
  /// The largest limit of a new objective, in tasks that run at once; 0 = no limit.
  std::uint32_t parallel_max = 0;
  // A refusal uses the names of the settings for these: `limits.live-tasks`.
  std::size_t live_tasks_max = troupe::live_tasks_max;
  std::size_t live_bytes_max = troupe::live_bytes_max;
  std::size_t backlog_changes_max = troupe::backlog_changes_max;
  std::size_t backlog_bytes_max = troupe::backlog_bytes_max;
  /// 0: a quarter of `memory`, at most troupe::objective_bytes_max.
  std::size_t objective_bytes_max = 0;
  /// What the process may hold in memory; the same for the store and the server. Null: one of its
  /// own without a limit.
  memory_budget_ptr memory{};
  /// How long a canceled agent may take to stop; see agent_run::on_cancel.
  std::chrono::milliseconds cancel_grace{5000};
  std::chrono::seconds settled_linger{60}; ///< How long a settled objective stays in memory.
  /// For this time a message that is sent again leads to the same task; 0 = never.
  std::uint32_t deduplicate_seconds = 0;
  planning_options planning{};
  const time_source* time = &system_time(); ///< The time of records. It outlives the gateway.
  /// Takes a line for the log: an agent breaks a rule, memory runs short, requests were forgotten
  /// before their time. Called on any thread; must not block. May be empty.
  std::function<void(const std::string&)> warn{};
  /// If set, this clock alone runs the actors and moves the time (then `threads` and `time` are not
  /// used). It outlives the gateway.
  manual_clock* by_hand = nullptr;
};

/// The actor system with all its parts, and its only interface. It owns neither store nor agents:
/// both outlive it.
class gateway {
public:
  gateway(store& records, const agent_registry& agents, executor_options options = {});
  /// Starts the threads. Call it once, after all agents are registered, and before anything but
  /// `check`, `records` and `agents`.
  void start();
  /// Stops every actor at once, and waits until the store has written their changes. Nothing is
  /// canceled: live tasks are live again after recovery. If the disk cannot be written, it does not
  /// wait, and replies that depend on the disk are errors.
  ~gateway();
  gateway(const gateway&) = delete;
  gateway& operator=(const gateway&) = delete;

  /// Spawns the actors of everything that `records.recover()` returned.
  void resume(const recovered& left);

  /// A gateway actor for an event loop; as long-lived as the gateway. `notify`: see loop_gateway.
  [[nodiscard]] loop_gateway& attach(std::function<void()> notify);
  /// Ends the feeds that `reader` reads, on every loop that is attached. Their streams get `reason`
  /// as their last event. A stream that begins later is not affected, nor is a notification.
  void end_feeds_of(const principal& reader, const error& reason);

  /// Without a task id in the message: makes a new lone task of the default agent, and `follow`
  /// watches it from its first event on. If the message's metadata has `opt/v1/objective` or
  /// `opt/v1/plan`, the caller reads it and calls `create`. With a task id: the message goes to
  /// that task (`follow` is ignored). An agent may answer with a message instead (`sent::answer`):
  /// then there is no task, and `follow` is not called. Errors: task_not_found,
  /// unsupported_operation (terminal), invalid_params (context mismatch, a reference to a task that
  /// does not exist, another message of the same id), content_type_not_supported, limit_exceeded,
  /// overloaded, unavailable, idempotency_key_reused.
  void send(send_message command, watcher_ptr follow, reply<sent> done);
  /// For a message that may lead to something else than `send`. If it came before, `done` is
  /// answered as the first was, once that is durable; or with the errors of `send` for another
  /// message of the same id or key. Else `next` is called, once, with the conditions of the
  /// message: who makes another command of it (create) hands them on.
  void send_once(send_message command, reply<sent> done,
                 std::function<void(send_message command, reply<sent> done)> next);

  /// Answers with the task after CANCELED is durable. Its agent may take `cancel_grace` longer to
  /// stop. Errors: task_not_found, task_not_cancelable, overloaded.
  void cancel(cancel_task command, reply<task_ptr> done);

  /// Whether an objective of that id is here that has not ended and is `who`'s. Answers at once,
  /// without a read, if none is here; else from the row that places it. Errors: store_unreadable,
  /// overloaded.
  void has_live_objective(const principal& who, const objective_id& id, reply<bool> done) const;

  /// Errors: duplicate_id, dependency_cycle, unknown_dependency, agent_not_found, invalid_params,
  /// limit_exceeded, overloaded, unavailable; and those of `send` for a new task, if a message
  /// asked for the objective. `follow` watches the objective with all its tasks from its first
  /// event on.
  void create(create_objective command, watcher_ptr follow, reply<objective_ptr> done);
  void update(update_objective command, reply<objective_ptr> done);
  void create(create_plan command, reply<plan_id> done);
  void update(update_plan command, reply<plan_id> done);
  /// Answers after the change is durable: all of it, or nothing. A `dry_run` is answered when it is
  /// decided. Errors name the operation (`/operations/3`): unknown_dependency, duplicate_id,
  /// dependency_cycle, already_started, already_ended, still_needed, dependency_failed,
  /// agent_not_found, invalid_params, invalid_reference, limit_exceeded; and plan_not_found,
  /// invalid_transition (the plan has ended), revision_mismatch, duplicate_request, overloaded,
  /// unavailable.
  void change(change_plan command, reply<change_report> done);
  /// The same for an objective and its plans. If running plans are skipped, it answers once they
  /// have ended.
  void change(modify_objective command, reply<change_report> done);

  /// Pauses the objective, hands it to the planner with what its tasks have made, makes the change
  /// that the planner says, as one revision of author `planner`, and lets it go on. After a
  /// `dry_run`, an error or a restart it goes on as it was. Errors: those of `change`, and
  /// planner_failed (nobody makes a change of the text, or one that cannot be made).
  void replan(replan_objective command, reply<replan_report> done);

  /// Claims the question of that id of `asking`, or gives the claim up. Errors: those of an answer
  /// to a question that is closed; input_claimed.
  void claim(const task_ptr& asking, const std::string& question, claim_input command,
             reply<task_id> done);

  /// Checks an objective as `create` would, and changes nothing.
  [[nodiscard]] result<void> check(const objective_spec& spec) const;

  /// From now on the objective, or the task without one, is being moved to another server. Commands
  /// for it wait, up to move_wait_max and move_waits_max, and are then refused (errc::unavailable).
  void begin_move(const objective_id& id);
  void begin_move(const task_id& id);
  /// The move is over. Commands for the id are refused with errc::not_here, which names `address`;
  /// if that is empty, the id is here, and those that waited are done.
  void end_move(const objective_id& id, const std::string& address);
  void end_move(const task_id& id, const std::string& address);

  /// From now on new work is refused with errc::unavailable; running tasks go on.
  void drain();
  [[nodiscard]] bool draining() const noexcept;

  /// Why new work is refused at the moment, with the name of the limit, if it is. Errors:
  /// unavailable, overloaded.
  [[nodiscard]] result<void> takes_work() const;

  /// By the clock of its tasks.
  [[nodiscard]] timestamp now() const;
  /// What becomes of a message.
  [[nodiscard]] planning_desk& planning() noexcept;
  /// The templates for the messages that come from now on, beside those of the program. If one
  /// cannot be used, the old ones stay. Errors: those of a template document.
  [[nodiscard]] result<void> set_templates(const std::vector<template_text>& templates);
  /// Those that are used, if messages are planned at all.
  [[nodiscard]] std::vector<template_summary> templates() const;
  [[nodiscard]] store& records() noexcept;
  /// What live work holds is counted here. Never null.
  [[nodiscard]] const memory_budget_ptr& memory() const noexcept;
  [[nodiscard]] const agent_registry& agents() const noexcept;

private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

} // namespace troupe
