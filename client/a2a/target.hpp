// Which agent is meant, and how it is spoken to: what a person or a program says about it, and what
// follows from its card. Plain values.
#pragma once

#include "client/proxy.hpp"
#include "protocol/a2a/request_writing.hpp"
#include <troupe/protocol/agent_card.hpp>
#include <troupe/protocol/errc.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::a2a {

/// Where a token is fetched with the client's own credentials (RFC 6749 section 4.4).
struct oauth_client {
  std::string token_url;
  std::string id;
  std::string secret;
  std::string scope; ///< Empty: the server's own choice.

  friend bool operator==(const oauth_client&, const oauth_client&) = default;
};

/// How a client proves who it is; empty: it does not. One of `bearer`, `basic_user` and `oauth`.
struct credentials {
  std::string bearer{};         ///< RFC 6750.
  std::string api_key{};        ///< Sent in `api_key_header`.
  std::string api_key_header{}; ///< Empty: as the card says, else `X-API-Key`.
  std::string basic_user{};     ///< RFC 7617.
  std::string basic_password{};
  std::optional<oauth_client> oauth{}; ///< Its token becomes `bearer`.

  [[nodiscard]] bool empty() const noexcept {
    return bearer.empty() && api_key.empty() && basic_user.empty() && !oauth;
  }
  friend bool operator==(const credentials&, const credentials&) = default;
};

/// An agent as somebody names it.
struct target {
  std::string url;       ///< Where its card is looked up; the card itself if it ends with `.json`.
  std::string card_path; ///< Below the host of `url`; empty: the usual places.
  std::optional<wire::a2a_version> version; ///< Else the best that both speak.
  std::optional<wire::a2a_binding> binding; ///< Else as the card prefers.
  credentials authentication;
  /// Hosts besides that of `url` to which the credentials may be sent.
  std::vector<std::string> hosts;
  bool allow_http = false; ///< Credentials may be sent without TLS to other computers.
  std::string trusted_pem; ///< Certificates believed beside the system's.
  /// What the client shows over TLS, as chain and key (http_client_options); empty: nothing.
  std::string certificate_pem{};
  std::string key_pem{};
  /// Of interfaces of the same version the first of these; then the card's order.
  std::vector<wire::a2a_binding> preferred{};
  /// The interfaces of the card are at the origin of `url`, whatever host they name.
  bool is_at_origin = false;
  net::proxy_rules proxies{};
  /// Whether the agent's card, as it came, is to be believed; null: every one is. Else nothing is
  /// sent to the agent, and its error says why.
  std::function<result<void>(std::string_view card)> verify_card{};
  /// Reads what the target's files hold now; null: nothing of it changes. Called on the loop of a
  /// client, once a second at most, and when a server has refused the credentials.
  std::function<result<target>()> read_again{};
};

/// How requests are sent to an agent.
struct endpoint {
  std::string url; ///< Without a slash at its end.
  wire::wire_format format;
  std::string tenant; ///< Repeated in each request; empty: none.
};

/// Where the card may be, in the order in which they are tried. Errors: invalid_params.
[[nodiscard]] result<std::vector<std::string>> card_urls(const target& to);

/// With interfaces whose URLs can be used (A2A leaves open how they may be written): a relative URL
/// is seen from `card_url`, where the card was read; a host that is no address of anybody
/// (`0.0.0.0`, `[::]`) is that of `card_url`; target::is_at_origin.
void place_interfaces(agent_card& card, const std::string& card_url, const target& to);

/// Where a redirect of a card leads (`location`: the header), from `url`. Errors: forbidden (to
/// http, but for the same origin), invalid_agent_response (no address).
[[nodiscard]] result<std::string> follow_redirect(const std::string& url,
                                                  std::string_view location);

/// Scheme, host and port (RFC 6454 section 4).
[[nodiscard]] bool is_same_origin(const std::string& one, const std::string& other);

/// The interface of the card that is used: of 1.0 before 0.3, then as `to` prefers, then in the
/// card's order, as far as `to` does not say it. Errors: version_not_supported, which says what the
/// agent speaks.
[[nodiscard]] result<endpoint> choose_endpoint(const agent_card& card, const target& to);

/// The headers that prove who the client is, for a request to `url`; none without credentials.
/// `card`: null while it is looked up. Errors: forbidden, if they would be sent to a host that is
/// not meant, or without TLS to another computer.
[[nodiscard]] result<std::vector<std::pair<std::string, std::string>>>
authentication_headers(const target& to, const std::string& url, const agent_card* card);

/// The value of `Authorization` (RFC 7617).
[[nodiscard]] std::string basic_header(std::string_view user, std::string_view password);

/// Whether the card offers the extension.
[[nodiscard]] bool offers(const agent_card& card, std::string_view extension) noexcept;

} // namespace troupe::a2a
