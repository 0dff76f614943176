// The book of interfaces: which actor takes which message, who sends it, and what follows. Downwards go commands, upwards facts; nobody
// waits for an answer, nobody blocks. A `reply_port` in a message leads out of the actors, to the gateway's caller.
//
//   gateway -> objective -> plan -> task -> agent          commands
//   agent -> task -> plan -> objective                     facts, each sent once it is committed
//   task <-> throttle                                      slots
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "actors/agent.hpp"
#include "actors/caf.hpp"
#include "actors/objective_graph.hpp"
#include "actors/reply_port.hpp"
#include "actors/slot_pool.hpp"
#include "protocol/command.hpp"
#include "protocol/message.hpp"
#include "protocol/objective.hpp"
#include "protocol/task_state.hpp"

namespace troupe {

// -- to a task -----------------------------------------------------------------------------------------------------------

/// From gateway or plan: an answer, or further input. Refused with no_question / unsupported_operation / limit_exceeded.
struct provide_input {
  message_ptr what;
  reply_port<task_id> done;
  bool answers = false; ///< Meant for a question: refused if there is none any more.
};

/// From gateway or plan: stop. What the task has reached so far stays; a later result is ignored.
struct cancel_run {
  std::string reason;
  boost::json::object metadata; ///< Of the request; the status message has it.
  reply_port<task_ptr> done;    ///< Answered once CANCELED is committed. May be empty.
};

/// From the agent's port. Ignored if `attempt` is over.
struct agent_reported {
  std::uint32_t attempt;
  agent_report what;
};

/// From the task to itself, on the clock; `kind` says what it was set for, `attempt` for which attempt.
struct task_timer {
  enum class purpose : std::uint8_t {
    wake,     ///< The agent asked for it.
    retry,    ///< The backoff is over.
    timeout,  ///< The attempt has taken too long.
    grace,    ///< The agent was told to stop and has not said that it did.
    progress, ///< Merged progress is due.
  };
  purpose kind;
  std::uint32_t attempt;
  std::chrono::nanoseconds left{}; ///< Still to wait when it comes (timer_hop_max).
};

/// From the journal: `working` is durable, an agent that must not be started twice may start.
struct begin_committed {
  std::uint32_t attempt;
};

/// From a throttle: the slot is ours until it is given back.
struct slot_granted {
  slot_ticket ticket;
};

using task_handle = actor_handle<provide_input, cancel_run, agent_reported, task_timer, begin_committed, slot_granted>;

// -- to a throttle -------------------------------------------------------------------------------------------------------

/// From a task: wants a slot; slot_granted follows.
struct want_slot {
  slot_ticket ticket;
  std::string owner; ///< Whose turn it takes: the objective's id.
  task_handle who;
};

/// From a task: done with it, or no longer wanted.
struct return_slot {
  slot_ticket ticket;
};

using throttle_handle = actor_handle<want_slot, return_slot>;

// -- to a plan -----------------------------------------------------------------------------------------------------------

/// From a task: it has ended, and that is committed.
struct task_settled {
  std::uint32_t task;
  task_state state;
  bool has_artifacts;
  std::string reason;
};

/// From a task: it waits for somebody outside, or no longer does.
struct task_waits {
  std::uint32_t task;
  bool waiting;
};

/// From the objective: the task at `from`, of another plan, that `task` waits for has completed as `id`, or never will (`met` false).
struct dependency_news {
  std::uint32_t task;
  bool met;
  task_position from;
  task_id id;
  std::shared_ptr<const task_spec> spec; ///< What the other one was to do.
  bool has_artifacts;
};

/// From the objective: other plans now wait for these tasks of this one (a plan was added).
struct outward_changed {
  std::vector<outward_edge> edges;
};

/// From the objective: stop everything; the plan ends as `to` (failed, or completed by request).
struct close_plan {
  plan_state to;
  std::string reason;
};

/// From the objective: release nothing new (`paused`), or go on.
struct pause_plan {
  bool paused;
};

/// From the objective: passed on to the task.
struct task_input {
  std::uint32_t task;
  provide_input what;
};

/// From the objective: passed on to the task; withdraws one that has not begun.
struct task_cancel {
  std::uint32_t task;
  cancel_run what;
};

/// From the plan to itself: more tasks are free to begin than it spawns in one go.
struct release_more {};

using plan_handle = actor_handle<task_settled, task_waits, dependency_news, outward_changed, close_plan, pause_plan, task_input,
                                 task_cancel, release_more>;

// -- to an objective -----------------------------------------------------------------------------------------------------

/// From a plan: it has ended, and that is committed.
struct plan_settled {
  std::uint32_t plan;
  plan_state state;
  std::string reason;
};

/// From a plan: nothing of it can run before somebody answers, or something can again.
struct plan_waits {
  std::uint32_t plan;
  bool waiting;
};

/// From a plan: how it stands beside its state.
struct plan_standing {
  std::uint32_t plan = 0;
  bool idle = false;        ///< None of its tasks runs or is free to begin: it waits for other plans.
  std::uint32_t asking = 0; ///< Tasks that wait for somebody outside and hold a slot of the objective's meanwhile.
};

/// From a plan: a task that other plans wait for has completed, or never will.
struct outward_news {
  std::uint32_t plan;
  std::uint32_t task;
  bool met;
  task_id id;
  bool has_artifacts;
};

/// From the gateway: objectives/update.
struct change_objective {
  update_objective what;
  reply_port<objective_ptr> done;
};

/// From the gateway: plans/create.
struct add_plan {
  std::shared_ptr<const plan_spec> spec;
  bool start;
  reply_port<plan_id> done;
};

/// From the gateway: plans/update.
struct change_plan {
  update_plan what;
  reply_port<plan_id> done;
};

/// From the gateway: for a task of a plan, or (`root`) for the task that stands for the objective.
struct objective_input {
  bool root;
  std::uint32_t plan;
  std::uint32_t task;
  provide_input what;
};

/// From the gateway: cancel one task, or (`root`) everything.
struct objective_cancel {
  bool root;
  std::uint32_t plan;
  std::uint32_t task;
  cancel_run what;
};

/// From the journal: one more of the changes that a settled objective waits for is durable.
struct objective_written {};

using objective_handle = actor_handle<plan_settled, plan_waits, plan_standing, outward_news, change_objective, add_plan, change_plan,
                                      objective_input, objective_cancel, objective_written>;

} // namespace troupe

TROUPE_LOCAL_MESSAGE(troupe::provide_input)
TROUPE_LOCAL_MESSAGE(troupe::cancel_run)
TROUPE_LOCAL_MESSAGE(troupe::agent_reported)
TROUPE_LOCAL_MESSAGE(troupe::task_timer)
TROUPE_LOCAL_MESSAGE(troupe::begin_committed)
TROUPE_LOCAL_MESSAGE(troupe::slot_granted)
TROUPE_LOCAL_MESSAGE(troupe::want_slot)
TROUPE_LOCAL_MESSAGE(troupe::return_slot)
TROUPE_LOCAL_MESSAGE(troupe::task_settled)
TROUPE_LOCAL_MESSAGE(troupe::task_waits)
TROUPE_LOCAL_MESSAGE(troupe::dependency_news)
TROUPE_LOCAL_MESSAGE(troupe::outward_changed)
TROUPE_LOCAL_MESSAGE(troupe::close_plan)
TROUPE_LOCAL_MESSAGE(troupe::pause_plan)
TROUPE_LOCAL_MESSAGE(troupe::task_input)
TROUPE_LOCAL_MESSAGE(troupe::task_cancel)
TROUPE_LOCAL_MESSAGE(troupe::release_more)
TROUPE_LOCAL_MESSAGE(troupe::plan_settled)
TROUPE_LOCAL_MESSAGE(troupe::plan_waits)
TROUPE_LOCAL_MESSAGE(troupe::plan_standing)
TROUPE_LOCAL_MESSAGE(troupe::outward_news)
TROUPE_LOCAL_MESSAGE(troupe::change_objective)
TROUPE_LOCAL_MESSAGE(troupe::add_plan)
TROUPE_LOCAL_MESSAGE(troupe::change_plan)
TROUPE_LOCAL_MESSAGE(troupe::objective_input)
TROUPE_LOCAL_MESSAGE(troupe::objective_cancel)
TROUPE_LOCAL_MESSAGE(troupe::objective_written)

#if TROUPE_CAF_1
CAF_BEGIN_TYPE_ID_BLOCK(troupe, caf::first_custom_type_id)
  CAF_ADD_TYPE_ID(troupe, (troupe::provide_input))
  CAF_ADD_TYPE_ID(troupe, (troupe::cancel_run))
  CAF_ADD_TYPE_ID(troupe, (troupe::agent_reported))
  CAF_ADD_TYPE_ID(troupe, (troupe::task_timer))
  CAF_ADD_TYPE_ID(troupe, (troupe::begin_committed))
  CAF_ADD_TYPE_ID(troupe, (troupe::slot_granted))
  CAF_ADD_TYPE_ID(troupe, (troupe::want_slot))
  CAF_ADD_TYPE_ID(troupe, (troupe::return_slot))
  CAF_ADD_TYPE_ID(troupe, (troupe::task_settled))
  CAF_ADD_TYPE_ID(troupe, (troupe::task_waits))
  CAF_ADD_TYPE_ID(troupe, (troupe::dependency_news))
  CAF_ADD_TYPE_ID(troupe, (troupe::outward_changed))
  CAF_ADD_TYPE_ID(troupe, (troupe::close_plan))
  CAF_ADD_TYPE_ID(troupe, (troupe::pause_plan))
  CAF_ADD_TYPE_ID(troupe, (troupe::task_input))
  CAF_ADD_TYPE_ID(troupe, (troupe::task_cancel))
  CAF_ADD_TYPE_ID(troupe, (troupe::release_more))
  CAF_ADD_TYPE_ID(troupe, (troupe::plan_settled))
  CAF_ADD_TYPE_ID(troupe, (troupe::plan_waits))
  CAF_ADD_TYPE_ID(troupe, (troupe::plan_standing))
  CAF_ADD_TYPE_ID(troupe, (troupe::outward_news))
  CAF_ADD_TYPE_ID(troupe, (troupe::change_objective))
  CAF_ADD_TYPE_ID(troupe, (troupe::add_plan))
  CAF_ADD_TYPE_ID(troupe, (troupe::change_plan))
  CAF_ADD_TYPE_ID(troupe, (troupe::objective_input))
  CAF_ADD_TYPE_ID(troupe, (troupe::objective_cancel))
  CAF_ADD_TYPE_ID(troupe, (troupe::objective_written))
CAF_END_TYPE_ID_BLOCK(troupe)
#endif
