// Server-sent events: a task's changes as JSON-RPC answers, one per `data:` line (docs/streams.md). The stream begins with the task
// as it is, shows every change once and in order, and ends by the rules of its method.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "net/operation.hpp"
#include "net/stream_queue.hpp"
#include "protocol/stream_mark.hpp"

namespace troupe::net {

/// What to show, and until when.
struct task_stream {
  std::shared_ptr<stream_queue> queue; ///< Already watching.
  task_id id;        ///< Changes of other tasks in the queue are passed over.
  task_snapshot snapshot = {}; ///< The first event. Null record: the one that the queue's first change of the task creates.
  std::optional<std::uint32_t> history_length = std::nullopt; ///< Of the snapshot; as in task_view_options.
  objective_ptr objective = nullptr; ///< What the task stands for, shown in the snapshot's metadata; may be null.
  bool ends_at_question = false;     ///< Also at INPUT_REQUIRED (docs/a2a.md, D6).
  std::string watched; ///< What to stop watching afterwards: the task's id or the objective's.
  /// Where the client's last stream broke: instead of the snapshot comes what happened since, or, if that is not kept, the snapshot
  /// with a mark that says so.
  std::optional<stream_cursor> after = std::nullopt;
};

/// A queue with this server's limits that wakes the call's connection.
[[nodiscard]] std::shared_ptr<stream_queue> make_queue(const operation_call& call);

/// Takes one of the process's streams; empty if there is none left, and the call is answered with 429.
[[nodiscard]] counted take_stream(operation_call& call);

/// Shows `what` until its end, the client's, or the server's.
[[nodiscard]] awaitable<void> stream_task(operation_call& call, task_stream what, counted slot);

/// A stream of a message and nothing else: what an agent answered instead of taking a task (A2A 1.0 section 3.1.2).
[[nodiscard]] awaitable<void> stream_answer(operation_call& call, message_ptr what);

/// Answers a streaming method with an error: as the only event of a stream (docs/a2a.md, D5), but overload and unavailability as
/// HTTP statuses.
[[nodiscard]] awaitable<void> fail_stream(operation_call& call, error why);

} // namespace troupe::net
