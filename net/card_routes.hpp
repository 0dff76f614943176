// How the Agent Card is served over HTTP (a2a-wire 1.5): which representation answers which version, caching, conditional requests.
#pragma once

#include "net/session.hpp"

namespace troupe::net {

/// `GET /.well-known/agent-card.json` and its alias.
[[nodiscard]] awaitable<void> get_card(session& connection);

} // namespace troupe::net
