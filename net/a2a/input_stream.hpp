// `inputs/subscribe`: the questions that the caller may see, as server-sent events
// (docs/questions.md). The stream begins with those that are open, and shows each that changes as
// it then stands. It ends with its client, or with the server.
#pragma once

#include "net/a2a/operation.hpp"

namespace troupe::net {

[[nodiscard]] awaitable<void> serve_subscribe_to_inputs(operation_call& call);

} // namespace troupe::net
