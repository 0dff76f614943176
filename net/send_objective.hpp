// A message that brings an objective or a plan in its metadata (OPT): SendMessage and SendStreamingMessage then create it,
// started, and answer with the task that stands for it.
#pragma once

#include <optional>

#include "net/operation.hpp"
#include "net/server_state.hpp"

namespace troupe::net {

/// What `opt/v1/objective` or `opt/v1/plan` in the metadata of message or request asks for; nothing if neither is there. An objective
/// without plans gets one whose only task is what the message says. So does `opt/v1/preferObjective` of a client that activated the
/// extension and begins a conversation; it is a hint, left alone where the context is an objective already. Nothing, too, for a message to a
/// task.
/// Errors: invalid_params (the context is another id than the objective's), limit_exceeded and those of the plan document; `field` is a JSON
/// pointer below the metadata.
[[nodiscard]] result<std::optional<create_objective>> objective_in(const operation_call& call, const send_request& request);

[[nodiscard]] awaitable<void> send_objective(operation_call& call, send_request request, create_objective command);
[[nodiscard]] awaitable<void> stream_objective(operation_call& call, send_request request, create_objective command, counted slot);

} // namespace troupe::net
