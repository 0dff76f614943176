// What each fact does to a record: one function per kind of event, pure, without locks, clock or disk. The ledger calls them when a
// change is committed and again, in the same order, when the journal is replayed; the result is the same.
//
// A fact that points outside (a plan or task index that does not exist) changes nothing.
#pragma once

#include "protocol/event.hpp"
#include "protocol/objective.hpp"
#include "protocol/task.hpp"

namespace troupe {

// -- a task's record -------------------------------------------------------------------------------------------------

/// The state, and the attempt; a status message that is replaced moves to the history, progress ends with the task.
void apply(task& record, const change& where, const task_moved& what);
/// Joins the history; beyond history_messages_max and history_bytes_max the oldest go.
void apply(task& record, const change& where, const task_message& what);
/// Replaces the artifact of that id, or adds it, or appends the parts to it.
void apply(task& record, const change& where, const task_artifact& what);
void apply(task& record, const change& where, const task_progress& what);

/// All events of `what` that concern a task, in order; `task_created` and facts about objectives are passed over.
void apply_events(task& record, const change& what);

// -- an objective ----------------------------------------------------------------------------------------------------

void apply(objective_view& view, const change& where, const objective_created& what);
/// Nothing, if it names nothing: then it only stands behind what came before it.
void apply(objective_view& view, const change& where, const objective_edited& what);
void apply(objective_view& view, const change& where, const objective_moved& what);
void apply(objective_view& view, const change& where, const plan_added& what);
void apply(objective_view& view, const change& where, const plan_moved& what);
void apply(objective_view& view, const change& where, const tasks_withdrawn& what);
void apply(objective_view& view, const change& where, const tasks_renewed& what);
void apply(objective_view& view, const change& where, const pause_changed& what);
void apply(objective_view& view, const change& where, const objective_closing& what);
void apply(objective_view& view, const change& where, const task_created& what);
/// Also keeps `pending_inputs`: listed while the task is input_required or auth_required, with the status message as prompt.
void apply(objective_view& view, const change& where, const task_moved& what);
void apply(objective_view& view, const change& where, const task_artifact& what);

/// All events of `what`, in order.
void apply_events(objective_view& view, const change& what);

// -- questions about a change ----------------------------------------------------------------------------------------

/// The record a change brings into being; null if it concerns a task that exists.
[[nodiscard]] const std::shared_ptr<task>* created_record(const change& what) noexcept;
/// Whether the task has ended once `what` is applied.
[[nodiscard]] bool ends_task(const change& what) noexcept;
[[nodiscard]] const objective_created* created_objective(const change& what) noexcept;

} // namespace troupe
