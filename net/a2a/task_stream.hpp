// Server-sent events: a task's changes as JSON-RPC answers, one per `data:` line (docs/streams.md).
// The stream begins with the task as it is, shows every change once and in order, and ends by the
// rules of its method.
#pragma once

#include "actors/feed/feed.hpp"
#include "net/a2a/operation.hpp"

#include <memory>
#include <optional>
#include <string>

namespace troupe::net {

/// What to show, and until when.
struct task_stream {
  /// Of a task: opened, or following one that is new. The loop's gateway actor owns it as long as
  /// it is shown.
  std::shared_ptr<feed> source;
  std::optional<std::uint32_t> history_length =
      std::nullopt; ///< Of the snapshot; as in task_view_options.
  objective_ptr objective =
      nullptr; ///< What the task stands for, shown in the snapshot's metadata; may be null.
  bool ends_at_question = false; ///< Also at INPUT_REQUIRED (docs/a2a.md, D6).
  /// A snapshot whose status is of that time still shows the question that was answered: the stream
  /// begins with the next status instead.
  timestamp answered{};
};

/// A new feed with this server's limits, whose news wake the call.
[[nodiscard]] std::shared_ptr<feed> make_feed(const operation_call& call);

/// Takes one of the process's streams; empty if there is none left, or too much waits for the
/// readers of the others, and the call is answered with 429.
[[nodiscard]] client_place take_stream(operation_call& call);

/// Sends the stream until it ends, the client disconnects, or the server stops.
[[nodiscard]] awaitable<void> stream_task(operation_call& call, task_stream stream,
                                          client_place place);

/// A stream of a message and nothing else: what an agent answered instead of taking a task (A2A 1.0
/// section 3.1.2).
[[nodiscard]] awaitable<void> stream_answer(operation_call& call, message_ptr answer);

/// Answers a streaming method with an error: as the only event of a stream (docs/a2a.md, D5), but
/// overload and unavailability as HTTP statuses.
[[nodiscard]] awaitable<void> fail_stream(operation_call& call, error why);

} // namespace troupe::net
