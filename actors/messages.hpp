// The book of interfaces: which actor takes which message, who sends it, and what follows.
// Downwards go commands, upwards facts; no actor waits for an answer or blocks. A `reply_port`
// in a message leads out of the actors, to the gateway's caller.
//
//   gateway -> objective -> plan -> task -> agent          commands
//   agent -> task -> plan -> objective                     facts, each sent once it is committed
//   plan, gateway, task -> throttle -> throttle -> task    slots
//   all of them -> gateway                                 answers to its loop's requests
//   planner, agent -> planning                             reports
#pragma once

#include "actors/caf.hpp"
#include "actors/graph/objective_graph.hpp"
#include "actors/reply_port.hpp"
#include "actors/service/answer.hpp"
#include "actors/slots/slot_pool.hpp"
#include "actors/task/cancel_answer.hpp"
#include "actors/task/report_window.hpp"
#include "protocol/fold/objective_life.hpp"
#include <troupe/actors/agent.hpp>
#include <troupe/actors/text_planner.hpp>
#include <troupe/protocol/command.hpp>
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/task_state.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

class joint_answer;

// -- to a task ------------------------------------------------------------------------------------

/// Somebody claims a question, or gives their claim up.
struct claim_change {
  bool releases = false;
  bool overrides = false; ///< Also if somebody else has claimed it.
};

/// From gateway or plan: an answer, or further input. Refused with no_question /
/// unsupported_operation / limit_exceeded.
struct provide_input {
  message_ptr message;
  reply_port<task_id> done;
  bool answers = false; ///< Meant for a question: refused if there is none any more.
  /// The id of the question that it answers: refused if that one is no longer open. Empty: it
  /// answers the open question.
  std::string question{};
  std::vector<once_ptr> conditions{}; ///< Of its change.
  std::string by{};                   ///< Who answers.
  answer_action action = answer_action::accept;
  /// It is taken together with others, or not at all; null: alone. Without a message: from the task
  /// itself, when that is decided.
  std::shared_ptr<joint_answer> joint{};
  /// In place of a message: the question is claimed, `by` whom.
  std::optional<claim_change> claim{};
};

/// From gateway or plan: stop. What the task has reached so far stays; a later result is ignored.
struct cancel_run {
  std::string reason;
  boost::json::object metadata; ///< Of the request; the status message has it.
  reply_port<task_ptr> done;    ///< Answered once CANCELED is committed. May be empty.
  std::optional<std::string>
      by{}; ///< Who commanded it (owner_of); none: it follows from something else.
  std::vector<once_ptr> conditions{}; ///< Of its change.
  /// `complete`: somebody else has done it; `fail`: its deadline has passed.
  task_event as = task_event::cancel;
  std::vector<artifact_ptr> artifacts{}; ///< What they have made.
  cancel_leaves_ptr leaves{};            ///< How agents elsewhere take it; null: nobody asks.
  /// A deadline of the task, its plan or its objective has passed: the open question has expired.
  bool is_late = false;
};

/// From the agent's port. Ignored if `attempt` is over.
struct agent_reported {
  std::uint32_t attempt;
  agent_report report;
  held_report held{}; ///< Until the store has it, or it is ignored.
};

/// From the task to itself, on the clock; `kind` says what it was set for, `attempt` for which
/// attempt.
struct task_timer {
  enum class purpose : std::uint8_t {
    wake,     ///< The agent asked for it.
    retry,    ///< The backoff is over.
    timeout,  ///< The attempt has taken too long.
    grace,    ///< The agent was told to stop and has not said that it did.
    progress, ///< Merged progress is due.
    question, ///< The open question's deadline has passed, or its next reminder is due.
    reading,  ///< The disk could not be read; it is tried again.
  };
  purpose kind;
  std::uint32_t attempt;
  std::chrono::nanoseconds left{}; ///< Still to wait when it comes (timer_hop_max).
};

/// From the store: facts of the attempt are durable.
struct attempt_committed {
  enum class fact : std::uint8_t {
    begin, ///< An agent that must not be started twice may start.
    note,  ///< The agent is told.
    room,  ///< The agent may read on (report_window).
  };
  fact kind;
  std::uint32_t attempt;
};

/// From a throttle, or from the plan where there is none: the slot is ours until it is given back.
struct slot_granted {
  slot_ticket ticket;
};

/// From the store: the task's own record, when it is taken up again.
struct record_read {
  result<task_ptr> record;
};

/// From the store: what the order of an attempt needs, all of it.
struct order_read {
  std::uint32_t attempt;
};

/// From the objective or the plan: the change that its agent wanted (change_wanted) is durable, or
/// refused.
struct change_answered {
  std::uint32_t attempt;
  std::string key;
  result<change_report> outcome;
};

/// From the plan: a task that it has called has ended. It may come before change_answered.
struct called_task_ended {
  task_id called;
  task_state state;
};

/// From the store: the record of a task that it has called.
struct called_task_read {
  std::uint32_t attempt;
  task_id called;
  result<task_ptr> record;
};

using task_handle = actor_handle<provide_input, cancel_run, agent_reported, task_timer,
                                 attempt_committed, slot_granted, record_read, order_read,
                                 change_answered, called_task_ended, called_task_read>;

// -- to a throttle --------------------------------------------------------------------------------

/// From a plan or the gateway for the task, from the task, or from a throttle that has granted it:
/// wants a slot. slot_granted follows.
struct want_slot {
  slot_request request;
  std::string agent; ///< Whose slot it needs besides; empty: none.
  task_handle task;
};

/// From a task, or from a throttle that has passed its request on: done with it, or no longer
/// wanted.
struct return_slot {
  slot_ticket ticket;
  std::chrono::milliseconds held{}; ///< Since it was granted.
};

/// From a plan: the priority of its objective has changed. What waits of it is moved.
struct reorder_slots {
  std::string objective;
  std::int32_t priority;
};

/// From an objective: its `maxParallel` has changed.
struct resize_slots {
  std::uint32_t capacity;
};

using throttle_handle = actor_handle<want_slot, return_slot, reorder_slots, resize_slots>;

// -- to a plan ------------------------------------------------------------------------------------

/// From a task: it has ended, and that is committed.
struct task_settled {
  std::uint32_t task;
  task_moved moved; ///< As committed.
  timestamp at;     ///< Of that change.
  bool has_artifacts;
  bool is_stopping; ///< Its agent has yet to stop: `maxParallel` counts it until task_stopped.
};

/// From a task that has settled: its agent has stopped, too.
struct task_stopped {};

/// From a task: it begins or ends a wait (for an answer, or between two attempts), and that is
/// committed. Or it has started, and its deadline counts from now on.
struct task_waits {
  std::uint32_t task;
  bool parked; ///< Nothing of it runs and it has given its slots back: it does not count for
               ///< `maxParallel`.
  bool backing_off = false;          ///< It waits for its next attempt.
  std::optional<task_moved> moved{}; ///< As committed; nothing: its state stays.
  timestamp at{};                    ///< Of that change.
};

/// From a task that is parked: it is ready to run again. slot_granted follows, once there is room.
struct task_ready_again {
  std::uint32_t task;
  slot_ticket ticket;
};

/// From a task: its agent wants a change of the plan. change_answered follows.
struct change_wanted {
  std::uint32_t task;
  std::uint32_t attempt;
  report_change asked;
};

/// From the objective: the task at `from`, of another plan, that `task` waits for has completed as
/// `id`, or never will (`met` false).
struct dependency_news {
  std::uint32_t task;
  bool met;
  task_position from;
  task_id id;
  std::shared_ptr<const task_spec> spec; ///< What the other one was to do.
  bool has_artifacts;
};

/// From the objective: other plans now wait for these tasks of this one (a plan was added).
struct tasks_awaited {
  std::vector<std::uint32_t> tasks;
};

/// From the objective: stop everything; the plan ends as `to` (failed, or completed by request).
struct close_plan {
  plan_state to;
  std::string reason;
  std::optional<std::string> by{}; ///< As in cancel_run.
  cancel_leaves_ptr leaves{};      ///< As in cancel_run.
};

/// From the objective: release nothing new, or go on. plan_heard follows.
struct pause_plan {
  pause_changed pause;   ///< As the objective has recorded it.
  std::uint64_t command; ///< Which of the objective's commands it follows from.
};

/// From the objective: passed on to the task.
struct task_input {
  std::uint32_t task;
  task_id only; ///< Refused with no_question if another one stands there (it was tried again);
                ///< empty: for any task.
  provide_input command;
};

/// From the objective: passed on to the task; withdraws one that has not begun.
struct task_cancel {
  std::uint32_t task;
  cancel_run command;
};

/// From the objective: change your shape. shape_settled follows; the command is answered once the
/// change is durable.
struct reshape_tasks {
  change_plan command;
  shape_terms terms; ///< All but what runs, and what waits for other plans.
  reply_port<change_report> done;
};

/// From the objective: it was changed, and that may be about this plan.
struct objective_news {
  std::shared_ptr<const objective_changed> changed;
};

/// From the desk of deadlines: that of one of its tasks has passed.
struct plan_deadline {};

/// From the plan to itself: more tasks are free to begin than it spawns in one go.
struct release_more {};

using plan_handle =
    actor_handle<task_settled, task_stopped, task_waits, task_ready_again, dependency_news,
                 tasks_awaited, close_plan, pause_plan, task_input, task_cancel, reshape_tasks,
                 objective_news, plan_deadline, release_more, change_wanted>;

// -- to an objective ------------------------------------------------------------------------------

/// From a plan: something of what decides its objective's life (protocol/fold/objective_life.hpp).
struct plan_fact {
  objective_input fact;
};

/// From a plan: it has done what pause_plan asked, and that is committed.
struct plan_heard {
  std::uint32_t plan;
  std::uint64_t command;
};

/// From a plan: its shape was changed, and that is submitted to the store; or the change was
/// refused.
struct shape_settled {
  std::uint32_t plan;
  std::shared_ptr<const plan_changed> changed; ///< Null: refused.
};

/// From a plan: a task that other plans wait for has completed, or never will.
struct awaited_task_ended {
  task_position task;
  bool met;
  task_id id;
  bool has_artifacts;
};

/// From the gateway: objectives/update.
struct change_objective {
  update_objective command;
  reply_port<objective_ptr> done;
  cancel_leaves_ptr leaves{}; ///< As in cancel_run.
};

/// From the gateway: plans/create.
struct add_plan {
  std::shared_ptr<plan_spec> spec; ///< Handed over: the objective names it before it is shared.
  bool start;
  bool starts_objective; ///< As in create_plan.
  std::optional<std::uint64_t> if_revision;
  std::string by; ///< Who commanded (owner_of).
  reply_port<plan_id> done;
  once_conditions conditions{};
};

/// From the gateway: plans/update.
struct move_plan {
  update_plan command;
  reply_port<plan_id> done;
};

/// From the gateway: change the shape of a plan.
struct reshape_plan {
  change_plan command;
  reply_port<change_report> done;
};

/// From the gateway: change the objective, and plans of it.
struct reshape_objective {
  modify_objective command;
  reply_port<change_report> done;
};

/// From the desk of deadlines: one has passed, of the objective or of a plan.
struct objective_deadline {};

/// From the gateway: for a task of a plan.
struct objective_message {
  std::uint32_t plan;
  std::uint32_t task;
  task_id only; ///< As of task_input: whose question an answer to the root task is for.
  provide_input input;
};

/// From the gateway: a message to the root task has answered a question. It joins the history of
/// the root task, unless that has ended.
struct root_said {
  message_ptr message;
  reply_port<task_id> done; ///< Answered once it is durable.
};

/// From the gateway: cancel one task, or (`root`) everything.
struct objective_cancel {
  bool root;
  std::uint32_t plan;
  std::uint32_t task;
  cancel_run command;
};

/// From the store: one more of the changes that a settled objective waits for is durable.
struct objective_written {};

/// To itself: what its last tasks have made was read, for its root task; or could not be read.
struct result_read {
  enum class outcome : std::uint8_t { done, unreadable, read_again } how = outcome::done;
  std::vector<artifact_ptr> artifacts{};
  std::size_t left_out = 0; ///< Tasks whose artifacts the root task has no room for.
};

using objective_handle =
    actor_handle<plan_fact, plan_heard, awaited_task_ended, change_objective, add_plan, move_plan,
                 reshape_plan, reshape_objective, shape_settled, objective_deadline,
                 objective_message, root_said, objective_cancel, objective_written, result_read>;

// -- to a gateway ---------------------------------------------------------------------------------

/// The answer to a request of the gateway's event loop: an actor's reply, or a read that is done.
/// Ignored if no request waits any more.
struct request_answered {
  request_number request = 0;
  service_answer answer;
};

/// From a watcher: what the request watches has changed.
struct request_woken {
  request_number request = 0;
};

/// From the loop: the principal may read no more. The streams of its feeds end with the reason.
struct end_feeds {
  principal reader;
  error reason;
};

using gateway_handle = actor_handle<request_answered, request_woken, end_feeds>;

// -- to a planning --------------------------------------------------------------------------------

/// From the planner.
struct planner_reported {
  planner_report report;
};
/// From the agent that is to answer directly.
struct answer_reported {
  agent_report report;
};
struct planning_timer {
  bool wakes_agent = false; ///< The agent asked for it. Else the time is up.
  std::uint32_t step = 0;   ///< Of which step; it is ignored in a later one.
};
/// From the desk: nobody waits any more.
struct cancel_planning {};

using planning_handle =
    actor_handle<planner_reported, answer_reported, planning_timer, cancel_planning>;

} // namespace troupe

TROUPE_BEGIN_MESSAGES
TROUPE_MESSAGE(troupe::provide_input)
TROUPE_MESSAGE(troupe::cancel_run)
TROUPE_MESSAGE(troupe::agent_reported)
TROUPE_MESSAGE(troupe::task_timer)
TROUPE_MESSAGE(troupe::attempt_committed)
TROUPE_MESSAGE(troupe::slot_granted)
TROUPE_MESSAGE(troupe::record_read)
TROUPE_MESSAGE(troupe::order_read)
TROUPE_MESSAGE(troupe::change_answered)
TROUPE_MESSAGE(troupe::called_task_ended)
TROUPE_MESSAGE(troupe::called_task_read)
TROUPE_MESSAGE(troupe::change_wanted)
TROUPE_MESSAGE(troupe::want_slot)
TROUPE_MESSAGE(troupe::return_slot)
TROUPE_MESSAGE(troupe::reorder_slots)
TROUPE_MESSAGE(troupe::resize_slots)
TROUPE_MESSAGE(troupe::task_settled)
TROUPE_MESSAGE(troupe::task_stopped)
TROUPE_MESSAGE(troupe::task_waits)
TROUPE_MESSAGE(troupe::task_ready_again)
TROUPE_MESSAGE(troupe::dependency_news)
TROUPE_MESSAGE(troupe::tasks_awaited)
TROUPE_MESSAGE(troupe::close_plan)
TROUPE_MESSAGE(troupe::pause_plan)
TROUPE_MESSAGE(troupe::task_input)
TROUPE_MESSAGE(troupe::task_cancel)
TROUPE_MESSAGE(troupe::objective_news)
TROUPE_MESSAGE(troupe::plan_deadline)
TROUPE_MESSAGE(troupe::release_more)
TROUPE_MESSAGE(troupe::plan_fact)
TROUPE_MESSAGE(troupe::plan_heard)
TROUPE_MESSAGE(troupe::awaited_task_ended)
TROUPE_MESSAGE(troupe::change_objective)
TROUPE_MESSAGE(troupe::add_plan)
TROUPE_MESSAGE(troupe::move_plan)
TROUPE_MESSAGE(troupe::reshape_plan)
TROUPE_MESSAGE(troupe::reshape_objective)
TROUPE_MESSAGE(troupe::objective_deadline)
TROUPE_MESSAGE(troupe::reshape_tasks)
TROUPE_MESSAGE(troupe::shape_settled)
TROUPE_MESSAGE(troupe::objective_message)
TROUPE_MESSAGE(troupe::root_said)
TROUPE_MESSAGE(troupe::objective_cancel)
TROUPE_MESSAGE(troupe::objective_written)
TROUPE_MESSAGE(troupe::result_read)
TROUPE_MESSAGE(troupe::request_answered)
TROUPE_MESSAGE(troupe::request_woken)
TROUPE_MESSAGE(troupe::end_feeds)
TROUPE_MESSAGE(troupe::planner_reported)
TROUPE_MESSAGE(troupe::answer_reported)
TROUPE_MESSAGE(troupe::planning_timer)
TROUPE_MESSAGE(troupe::cancel_planning)
TROUPE_END_MESSAGES
