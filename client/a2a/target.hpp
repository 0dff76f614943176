// Which agent is meant, and how it is spoken to: what a person or a program says about it, and what
// follows from its card. Plain values.
#pragma once

#include "protocol/a2a/request_writing.hpp"
#include <troupe/protocol/agent_card.hpp>
#include <troupe/protocol/errc.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::a2a {

/// How a client proves who it is; empty: it does not.
struct credentials {
  std::string bearer;         ///< RFC 6750.
  std::string api_key;        ///< Sent in `api_key_header`.
  std::string api_key_header; ///< Empty: as the card says, else `X-API-Key`.

  [[nodiscard]] bool empty() const noexcept { return bearer.empty() && api_key.empty(); }
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
};

/// How requests are sent to an agent.
struct endpoint {
  std::string url; ///< Without a slash at its end.
  wire::wire_format format;
  std::string tenant; ///< Repeated in each request; empty: none.
};

/// Where the card may be, in the order in which they are tried. Errors: invalid_params.
[[nodiscard]] result<std::vector<std::string>> card_urls(const target& to);

/// The interface of the card that is used: of 1.0 before 0.3, then as `to` prefers, then in the
/// card's order, as far as `to` does not say it. Errors: version_not_supported, which says what the
/// agent speaks.
[[nodiscard]] result<endpoint> choose_endpoint(const agent_card& card, const target& to);

/// The headers that prove who the client is, for a request to `url`; none without credentials.
/// `card`: null while it is looked up. Errors: forbidden, if they would be sent to a host that is
/// not meant, or without TLS to another computer.
[[nodiscard]] result<std::vector<std::pair<std::string, std::string>>>
authentication_headers(const target& to, const std::string& url, const agent_card* card);

/// Whether the card offers the extension.
[[nodiscard]] bool offers(const agent_card& card, std::string_view extension) noexcept;

} // namespace troupe::a2a
