// The named limits of this room: what happens at each stands beside it.
#pragma once

#include <chrono>
#include <cstddef>

namespace troupe {

// What may live at once, for executor_options. New work above it is refused (errc::overloaded).
/// Tasks with an actor.
inline constexpr std::size_t live_tasks_max = 2'000'000;
/// Bytes of what live work was given: plans, begun or not, and messages.
inline constexpr std::size_t live_bytes_max = std::size_t{4} << 30;
/// Changes that wait for the disk.
inline constexpr std::size_t backlog_changes_max = 200'000;

/// Tasks a plan spawns in one go before it lets others have a turn: a wide plan does not hold up a narrow one, and the scheduler's
/// queues stay short (CAF 0.17 walks a whole queue to steal from its end).
inline constexpr std::size_t release_burst_max = 128;

/// Changes that wait for the disk, above which a plan releases no further burst until the store has caught up. Without it a wide plan
/// would fill the backlog, with a kilobyte for each task, everybody's changes would wait behind its own, and new work would be refused
/// (limits.backlog-changes). Two of the store's batches: enough that the writer never waits for the plan.
inline constexpr std::size_t release_backlog_max = 8192;
/// Until the plan looks again; the writer needs ten times as long for a batch.
inline constexpr std::chrono::milliseconds release_pause{2};

/// Messages an actor handles before others have a turn. Without it CAF lets an actor run while it has mail, so a wide plan would answer its
/// own release_more at once and fill one worker's queue with everything it has; a worker that steals walks that queue from end to end
/// (CAF 0.17's double_ended_queue): 50,000 ready tasks took 13 s, with this bound 0.6 s.
inline constexpr std::size_t messages_per_turn_max = 16;

/// Tasks one message may refer to (`referenceTaskIds`); more are refused (errc::invalid_params). Each is a look-up before the task begins.
inline constexpr std::size_t referenced_tasks_max = 32;
/// Messages a task is told beyond its first; more are refused (errc::limit_exceeded). They are kept for further attempts.
inline constexpr std::size_t task_inputs_max = 1'000;
/// Bytes of those messages (bytes_of); more are refused (errc::limit_exceeded). Less than what a history keeps (store/limits.hpp), so that
/// what a task was told is all there after a restart unless its agent talks a lot.
inline constexpr std::size_t task_input_bytes_max = std::size_t{32} << 20;
/// Questions an agent may ask while another of its questions is open; they are shown one after the other. With one more the attempt fails.
inline constexpr std::size_t task_questions_max = 64;
/// The longest a timer is set for at once; what is left is set again. A timer keeps an actor that has ended in memory until it is due.
inline constexpr std::chrono::seconds timer_hop_max{30};
/// An agent's grace goes in hops of cancel-grace, because a gateway that ends lets go of the agent at the next; but not of less than this.
inline constexpr std::chrono::milliseconds grace_hop_min{100};
/// Sends that are remembered to know one that comes again (`deduplicate-seconds`); the oldest is forgotten first. About 300 bytes each.
inline constexpr std::size_t recent_sends_max = 100'000;

} // namespace troupe
