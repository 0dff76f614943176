// The operations that wait or stream: sending in both forms, and subscribing (A2A 1.0
// sections 3.1.1, 3.1.2, 3.1.6).
#pragma once

#include "net/a2a/operation.hpp"

namespace troupe::net {

[[nodiscard]] awaitable<void> serve_send_message(operation_call& call);
[[nodiscard]] awaitable<void> serve_send_streaming_message(operation_call& call);
[[nodiscard]] awaitable<void> serve_subscribe_to_task(operation_call& call);

} // namespace troupe::net
