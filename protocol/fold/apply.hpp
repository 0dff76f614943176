// The fold: what each event does to the view of a task, a plan or an objective. One function per
// kind of event, pure: no locks, clock or disk. All views change here and nowhere else: by the
// actors with the events they emit, the ledger with committed ones, replay, the screen of a run.
// The same events in the same order give the same view.
//
// An event that points outside (a plan or task that does not exist), and one that the state table
// does not allow, changes nothing.
#pragma once

#include <troupe/protocol/event.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/task.hpp>

#include <cstdint>

namespace troupe {

// -- a task's life -------------------------------------------------------------------------------
// The part of a task's record that its actor has, too.

void apply(task_life& life, timestamp at, const task_created& created);
/// A question that is open is closed by any move to a state that asks nothing.
void apply(task_life& life, timestamp at, const task_moved& moved);
void apply(task_life& life, timestamp at, const question_opened& opened);
void apply(task_life& life, timestamp at, const question_answered& answered);
void apply(task_life& life, timestamp at, const question_expired& expired);
void apply(task_life& life, timestamp at, const question_withdrawn& withdrawn);
/// The next three change nothing unless that question is open.
void apply(task_life& life, timestamp at, const question_claimed& claimed);
void apply(task_life& life, timestamp at, const question_released& released);
/// Says when the next reminder is due: at most question_reminders_max.
void apply(task_life& life, timestamp at, const question_reminded& reminded);
void apply(task_life& life, timestamp at, const task_queued& fact);
void apply(task_life& life, timestamp at, const task_resumed& fact);

/// Events that concern something else are passed over.
void apply_event(task_life& life, timestamp at, const event& one);

// -- a task --------------------------------------------------------------------------------------

/// The state, and the attempt; a status message that is replaced moves to the history, progress
/// ends with the task.
void apply(task& record, const change& where, const task_moved& moved);
/// Joins the history; beyond history_messages_max and history_bytes_max the oldest go.
void apply(task& record, const change& where, const task_message& said);
/// Replaces the artifact of that id, or adds it, or appends the parts to it.
void apply(task& record, const change& where, const task_artifact& output);
void apply(task& record, const change& where, const task_progress& news);
void apply(task& record, const change& where, const task_noted& noted);

/// One event of `where`, those of its life included; `task_created` and events of objectives are
/// passed over.
void apply_event(task& record, const change& where, const event& one);
/// All events of the change, in order.
void apply(task& record, const change& of);

// -- a plan --------------------------------------------------------------------------------------
// For callers that hold one plan. The plan index of the event is ignored.

void apply(plan_view& plan, const change& where, const plan_moved& moved);
/// Costs what the operations touch: copies of the view, and other holders of its spec, keep theirs.
void apply(plan_view& plan, const change& where, const plan_changed& changed);
void apply(plan_view& plan, const change& where, const tasks_withdrawn& withdrawn);
void apply(plan_view& plan, const change& where, const tasks_renewed& renewed);
void apply(plan_view& plan, const change& where, const pause_changed& pause);
/// The next six concern the task at `where.task`.
void apply(plan_view& plan, const change& where, const task_created& created);
void apply(plan_view& plan, const change& where, const task_moved& moved);
void apply(plan_view& plan, const change& where, const task_progress& news);
void apply(plan_view& plan, const change& where, const task_queued& queued);
void apply(plan_view& plan, const change& where, const task_resumed& resumed);
void apply(plan_view& plan, const change& where, const task_artifact& output);
/// The same where it is only known that the task has made artifacts.
void note_artifacts(plan_view& plan, const change& where);

/// Events that concern something else are passed over.
void apply_event(plan_view& plan, const change& where, const event& one);

// -- an objective --------------------------------------------------------------------------------

void apply(objective_view& view, const change& where, const objective_created& created);
/// An empty event changes nothing. It only marks a place after earlier changes.
void apply(objective_view& view, const change& where, const objective_edited& edited);
void apply(objective_view& view, const change& where, const plan_edited& edited);
void apply(objective_view& view, const change& where, const objective_changed& changed);
/// With the objective's end, what was asked of it before is over.
void apply(objective_view& view, const change& where, const objective_moved& moved);
void apply(objective_view& view, const change& where, const plan_added& added);
/// A plan that ends has no questions.
void apply(objective_view& view, const change& where, const plan_moved& moved);
/// Slots that are lent do not change here.
void apply(objective_view& view, const change& where, const plan_changed& changed);
void apply(objective_view& view, const change& where, const tasks_withdrawn& withdrawn);
void apply(objective_view& view, const change& where, const tasks_renewed& renewed);
/// One plan, or the objective with all its plans that have not ended.
void apply(objective_view& view, const change& where, const pause_changed& pause);
void apply(objective_view& view, const change& where, const objective_closing& closing);
void apply(objective_view& view, const change& where, const task_created& created);
/// Also keeps `pending_inputs`: listed while the task is input_required or auth_required, with the
/// status message as prompt. It does so, too, while the plan's summaries have another holder.
void apply(objective_view& view, const change& where, const task_moved& moved);
/// Also keeps how far the plan and the objective are (protocol/fold/rollup.hpp), as all events do
/// that change it.
void apply(objective_view& view, const change& where, const task_progress& news);
void apply(objective_view& view, const change& where, const task_queued& queued);
void apply(objective_view& view, const change& where, const task_resumed& resumed);
void apply(objective_view& view, const change& where, const task_artifact& output);

void apply_event(objective_view& view, const change& where, const event& one);
/// All events of the change, in order.
void apply(objective_view& view, const change& of);

/// The revision of an objective after an event, from the one before it.
[[nodiscard]] std::uint64_t revision_after(std::uint64_t revision, const event& one) noexcept;

/// The question with which the move makes its task INPUT_REQUIRED or AUTH_REQUIRED.
[[nodiscard]] pending_input input_asked_by(const task_moved& moved, const change& where);
/// At the start of a process no question is open: the agents that asked have ended with the process
/// before, and ask again. Until then their tasks work.
void forget_questions(objective_view& view) noexcept;
void forget_questions(plan_view& plan);

// -- questions about a change --------------------------------------------------------------------

/// The record a change brings into being; null if it concerns a task that exists.
[[nodiscard]] const std::shared_ptr<task>* created_record(const change& of) noexcept;
/// The last move of the task; null if it does not move.
[[nodiscard]] const task_moved* last_move(const change& of) noexcept;
/// Whether the task has ended once `of` is applied.
[[nodiscard]] bool ends_task(const change& of) noexcept;
[[nodiscard]] const objective_created* created_objective(const change& of) noexcept;

} // namespace troupe
