// The HTTP+JSON binding of both versions (A2A 1.0 section 11, A2A 0.3 section 3.2.3): paths and verbs instead of methods,
// HTTP statuses instead of error codes. 0.3 lives below `/v1/`, 1.0 beside it.
#pragma once

#include "net/operation.hpp"
#include "net/rest_path.hpp"

namespace troupe::net {

[[nodiscard]] const binding& rest_binding() noexcept;

/// Answers the session's request, whose path was parsed to `path`; at once (then the result is not valid), or by what is returned.
[[nodiscard]] awaitable<void> serve_rest(session& connection, const rest_path& path);

} // namespace troupe::net
