// This server's Agent Card: made of its options, of where it listens and of the agents it has.
#pragma once

#include <troupe/actors/agent.hpp>
#include <troupe/net/server_options.hpp>
#include <troupe/protocol/agent_card.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::net {

/// `http://<address>:<port>/`
[[nodiscard]] std::string url_of(const std::string& address, std::uint16_t port);

/// For every client. `url`: where the server is reached, unless the options say it. Without
/// signatures.
[[nodiscard]] agent_card make_agent_card(const server_options& options, std::string_view url,
                                         const agent_registry& agents);

/// What those read who show a token: `open`, with what `options` adds or says otherwise.
[[nodiscard]] agent_card make_extended_card(agent_card open, const extended_card_options& options);

} // namespace troupe::net
