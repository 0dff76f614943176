// The named limits of this room. The comment of each says what happens at the limit.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace troupe {

// Limits of live work, for executor_options. Above them new work is refused (errc::overloaded).
/// Tasks with an actor.
inline constexpr std::size_t live_tasks_max = 2'000'000;
/// Bytes of the plans (begun or not) and the messages of live work, and of the artifacts that its
/// orders refer to, each once; with what each task takes besides.
inline constexpr std::size_t live_bytes_max = std::size_t{4} << 30;
/// Of a task beside its texts: its actor, its record, its agent's run and its places in lists; part
/// of the above from when the task is accepted. Measured with 1,000,000 live tasks: 2,400 with a
/// short text (bench/README.md, "Bytes a live task"). Without this the budget would stand for a
/// third of what small tasks take.
inline constexpr std::size_t live_task_bytes = 2'000;
// The share of a plan's tasks in the indexes that are kept beside the plan once it is changed, or
// another plan is added (actors/plan/live_bytes.hpp); part of the above. Measured with 100,000
// tasks that have a key, a name and three dependencies by name: 416 bytes a task with texts of 9
// bytes, 672 with texts of 41.
/// Of a task.
inline constexpr std::size_t indexed_task_bytes = 32;
/// Of a key or a name, beside its text: each may have an entry in two indexes.
inline constexpr std::size_t indexed_name_bytes = 120;
/// Of a dependency.
inline constexpr std::size_t indexed_dependency_bytes = 24;
/// Changes that wait for the disk.
inline constexpr std::size_t backlog_changes_max = 200'000;
/// Bytes that wait for the disk, with what is made of them on the way. What runs already goes on
/// above it: its output is accepted as long as the budget of the process has room.
inline constexpr std::size_t backlog_bytes_max = std::size_t{256} << 20;
/// Above so many times these two limits every command is refused (errc::overloaded), also one for
/// what is there: a cancel, an update, and what would only be refused once all earlier changes are
/// durable. Each of them waits for the disk, too.
inline constexpr std::size_t full_backlog_times = 2;

/// Bytes that the tasks of one objective may make (artifacts, messages, texts of statuses), also
/// what was replaced since, and those of a lone task. Above: the task that made them fails
/// (errc::limit_exceeded in its words), and is not tried again. As much as the memory store keeps
/// of all ended tasks; by default it is also no more than a quarter of the budget of the process,
/// so that one objective alone never takes all of it.
inline constexpr std::size_t objective_bytes_max = std::size_t{1} << 30;
/// The share of the budget.
inline constexpr std::size_t objective_bytes_divisor = 4;
/// Larger pieces of what a task makes leave the last part of the budget to smaller ones
/// (memory_account::large_output).
inline constexpr std::size_t small_output_bytes = std::size_t{64} << 10;
/// The first bytes that a task makes, its note included, always find room in the budget: work that
/// was accepted and makes little does not fail because others have filled the memory. About as much
/// as a live task takes anyway, so what is forced is bounded by the number of live tasks.
inline constexpr std::size_t assured_output_bytes = std::size_t{4} << 10;

/// Tasks that a plan spawns in one turn. So a wide plan does not delay a narrow one, and the queues
/// of the scheduler stay short (CAF 0.17 walks a whole queue to steal from its end).
inline constexpr std::size_t release_burst_max = 128;

/// Changes that wait for the disk. Above it a plan spawns no further burst until the store has
/// caught up. Without this limit a wide plan would fill the backlog, with a kilobyte for each task.
/// All other changes would wait behind its own, and new work would be refused
/// (limits.backlog-changes). The value is two batches of the store: enough that the writer never
/// waits for the plan.
inline constexpr std::size_t release_backlog_max = 8192;
/// The same in bytes.
inline constexpr std::size_t release_backlog_bytes_max = std::size_t{64} << 20;
/// The pause until the plan checks again; the writer needs ten times as long for a batch.
inline constexpr std::chrono::milliseconds release_pause{2};

/// Bytes that an attempt has reported and the store does not have yet. Above: agent_port::has_room
/// is false, and an agent that reads from a connection stops reading. It is also how much comes
/// before a cancel in the queue of the task.
inline constexpr std::size_t report_window_bytes_max = std::size_t{1} << 20;

/// Messages that an actor handles in one turn. Without this limit CAF lets an actor run while it
/// has messages. Then a wide plan would handle its own release_more at once and fill the queue of
/// one worker with all its tasks, and a worker that steals walks that queue from end to end (CAF
/// 0.17's double_ended_queue): 50,000 ready tasks took 13 s, with this bound 0.6 s.
inline constexpr std::size_t messages_per_turn_max = 16;

/// Tasks to which one message may refer (`referenceTaskIds`); more are refused
/// (errc::invalid_params). Each is a look-up before the task begins.
inline constexpr std::size_t referenced_tasks_max = 32;
/// Tasks whose artifacts the root task of a completed objective has, and their bytes (bytes_of).
/// Above: the rest is left out, and the status message of the root task says of how many tasks.
inline constexpr std::size_t root_result_tasks_max = 1'000;
inline constexpr std::size_t root_result_bytes_max = std::size_t{8} << 20;
/// Ended tasks that a planner is told of when an objective is planned anew, and the bytes of what
/// they have made; the rest is left out, and it is said.
inline constexpr std::size_t replan_outcomes_max = 1'000;
inline constexpr std::size_t replan_outcome_bytes_max = std::size_t{256} << 10;
/// Questions that a planner may ask before it makes its plan of one text. A planner that knows too
/// little after three answers asks no better for a fourth, and a person waits for the work.
inline constexpr std::uint32_t planner_questions_max = 3;
/// Objectives that are planned anew at the same time; more are refused (errc::overloaded). Each
/// holds the above.
inline constexpr std::size_t replans_under_way_max = 64;
/// Messages that a task takes after its first; more are refused (errc::limit_exceeded). They are
/// kept for further attempts.
inline constexpr std::size_t task_inputs_max = 1'000;
/// Bytes of those messages (bytes_of); more are refused (errc::limit_exceeded). Less than a history
/// keeps (protocol/fold/limits.hpp). So after a restart all these messages are there, unless the
/// agent sends many messages itself.
inline constexpr std::size_t task_input_bytes_max = std::size_t{32} << 20;
/// Bytes of an order that the agent `command` has in memory as text: a program's stdin is written
/// in pieces of this size, when the program has read the one before. Artifacts to which the order
/// refers are shared and count in the live bytes. Texts and data of up to 1 KiB, and what is around
/// them, are made when the program starts: an order of very many small parts is in memory once
/// more, and counts nowhere. A quarter of a pipe: fewer calls write 3 MB no faster.
inline constexpr std::size_t input_piece_bytes_max = std::size_t{16} << 10;
/// Questions an agent may ask while another of its questions is open; they are shown one after the
/// other. One more fails the attempt.
inline constexpr std::size_t task_questions_max = 64;
/// Changes of its plan that an attempt may want at once (report_change). One more fails it.
inline constexpr std::size_t task_changes_max = 64;
/// Tasks that one task may call (report_change), in all its attempts; more are refused
/// (errc::limit_exceeded).
inline constexpr std::size_t called_tasks_max = 100;
/// How deep calls may be nested: a called task that calls a task, and so on. A deeper one is
/// refused (errc::limit_exceeded).
inline constexpr std::size_t call_depth_max = 4;
/// The pause of a task that could not read its record, or the records on which it depends, until it
/// reads again.
inline constexpr std::chrono::seconds store_read_pause{1};
/// Questions that the status of a blocked objective's root task shows: the oldest ones.
inline constexpr std::size_t questions_shown_max = 3;
/// Bytes of each of them; the rest is cut. The whole question is in its task.
inline constexpr std::size_t question_shown_bytes_max = 256;
/// Questions that a refusal names if an answer could be for any of them.
inline constexpr std::size_t questions_named_max = 20;
/// Bytes of a task's last words that its plan and its objective repeat; the rest is cut. The whole
/// is in the status of the task. Shorter ones need no room (objective_bytes_max).
inline constexpr std::size_t last_words_bytes_max = 4096;
/// The longest time of one timer; for a longer time it is set again. A timer keeps an ended actor
/// in memory until it is due.
inline constexpr std::chrono::seconds timer_hop_max{30};
/// The grace of an agent is waited in steps of cancel-grace, because a gateway that ends releases
/// the agent at the next step. No step is shorter than this.
inline constexpr std::chrono::milliseconds grace_hop_min{100};

/// How long a command with a `request_id` is known (how many: once_max in
/// include/troupe/store/limits.hpp).
inline constexpr std::chrono::minutes request_id_window{10};
/// The same for a message with an `Idempotency-Key`.
inline constexpr std::chrono::hours idempotency_key_window{24};
/// Commands that wait for the end of one with the same key or id; more are refused
/// (errc::overloaded). What they hold counts in `limits.memory` (live-work).
inline constexpr std::size_t once_waits_max = 1'000;
/// Bytes of a direct answer that is kept for a message that may come once. A longer one becomes a
/// task with the answer as its artifact.
inline constexpr std::size_t kept_answer_bytes_max = std::size_t{64} << 10;

/// Changes of an objective that are searched for those of one plan; an objective with more:
/// errc::limit_exceeded.
inline constexpr std::size_t history_changes_searched_max = 1'000'000;

/// Commands that wait while one id moves here from another process; more are refused
/// (errc::unavailable).
inline constexpr std::size_t move_waits_max = 1'000;
/// How long such a command waits. Then: errc::unavailable.
inline constexpr std::chrono::seconds move_wait_max{5};

} // namespace troupe
