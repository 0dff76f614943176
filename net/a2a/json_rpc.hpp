// JSON-RPC 2.0 over one POST: the envelope, the table of methods, and which of them a version has
// (A2A 1.0 section 9, A2A 0.3 section 7).
#pragma once

#include "net/a2a/operation.hpp"

namespace troupe::net {

[[nodiscard]] const binding& json_rpc_binding() noexcept;

/// Answers a request, which is a POST to the JSON-RPC endpoint; at once (then the result is not
/// valid), or by what is returned.
[[nodiscard]] awaitable<void> serve_json_rpc(server_state& server, http_exchange& exchange);

} // namespace troupe::net
