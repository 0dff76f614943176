// `objectives/subscribe`: the changes of an objective and of everything below it, as server-sent
// events (docs/watching.md). The stream begins with the objective as it is, or where the client's
// last stream broke, and ends after the last state.
#pragma once

#include "net/a2a/operation.hpp"

namespace troupe::net {

[[nodiscard]] awaitable<void> serve_subscribe_to_objective(operation_call& call);

} // namespace troupe::net
