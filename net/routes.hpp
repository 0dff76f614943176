// What answers which path: one table. Paths know nothing of JSON-RPC's inside, methods nothing of paths.
#pragma once

#include "net/session.hpp"

namespace troupe::net {

/// Answers the session's request at once and returns an invalid awaitable, or returns what has to be awaited.
[[nodiscard]] awaitable<void> route(session& connection);

} // namespace troupe::net
