// This server's Agent Card: made of its options, of where it listens and of the agents it has.
#pragma once

#include <troupe/actors/agent.hpp>
#include <troupe/actors/text_planner.hpp>
#include <troupe/net/server_options.hpp>
#include <troupe/protocol/agent_card.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace troupe::net {

/// `http://<address>:<port>/`
[[nodiscard]] std::string url_of(const std::string& address, std::uint16_t port);

/// Under which clients reach a server whose card has no URL of its own: the address it listens at,
/// or this machine's name if that is no address for clients (0.0.0.0, ::).
[[nodiscard]] std::string default_host(const server_options& options);
[[nodiscard]] std::string default_url(const server_options& options, std::uint16_t port);
/// Whether `address` stands for all addresses of this machine.
[[nodiscard]] bool is_every_address(const std::string& address);

/// For every client. `url`: where the server is reached, unless the options say it. Without
/// signatures. Agents and templates are its skills, unless the options say which it has.
[[nodiscard]] agent_card make_agent_card(const server_options& options, std::string_view url,
                                         const agent_registry& agents,
                                         std::span<const template_summary> templates = {});

/// What those read who show a token: `open`, with what `options` adds or says otherwise.
[[nodiscard]] agent_card make_extended_card(agent_card open, const extended_card_options& options);

} // namespace troupe::net
