// The HTTP+JSON binding of both versions (A2A 1.0 section 11, A2A 0.3 section 3.2.3): paths and
// verbs instead of methods, HTTP statuses instead of error codes. Paths of 0.3 begin with `/v1/`,
// paths of 1.0 do not.
#pragma once

#include "net/a2a/operation.hpp"
#include "net/a2a/rest_path.hpp"

namespace troupe::net {

[[nodiscard]] const binding& rest_binding() noexcept;

/// Answers a request whose path was parsed to `path`; at once (then the result is not valid), or by
/// what is returned.
[[nodiscard]] awaitable<void> serve_rest(server_state& server, http_exchange& exchange,
                                         const rest_path& path);

} // namespace troupe::net
