// The Agent Card in its 1.0 shape (a2a-wire 1.6): who this is, where it listens, what it can do, and one skill per agent.
#pragma once

#include <string>
#include <string_view>

#include "actors/agent.hpp"
#include "net/server_options.hpp"

namespace troupe::net {

/// The card as JSON. `url`: where JSON-RPC is reached, unless `options.url` says it.
[[nodiscard]] std::string write_agent_card(const card_options& options, std::string_view url,
                                           const agent_registry& agents);

/// A strong ETag of `body`, with its quotes (RFC 9110 8.8.3).
[[nodiscard]] std::string etag_of(std::string_view body);

} // namespace troupe::net
