// Whether a request was meant for this server, and whether the page behind it may change anything.
// No client has to say who it is, so a page in a browser must not drive the server: its own name
// may lead to our address (DNS rebinding), and a browser sends a form of it without asking. Pure
// decisions.
#pragma once

#include "net/http/http_request.hpp"
#include <troupe/net/server_options.hpp>
#include <troupe/protocol/errc.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::net {

/// Why a request is not answered.
struct host_refusal {
  /// 421 (RFC 9110 15.5.20): another host was asked; 403: another site's page asks.
  unsigned status;
  std::string message;
};

/// The hosts under which this server is asked: `localhost`, the name it listens at, the host of the
/// card's URL, those that the operator names, and every IP address: it may be translated on the way
/// here, and a page has an address as its host only if it came from there. Ports do not count: a
/// forwarded port is another one, and a page cannot choose its own host by it.
class own_hosts {
public:
  /// `default_host`: under which clients reach the server if the card has no URL of its own.
  own_hosts(const server_options& options, std::string default_host);

  /// errc::invalid_params: an entry of server_options::allowed_hosts that no host can match. The
  /// message names it.
  [[nodiscard]] static result<void> check(const std::vector<std::string>& allowed);

  /// Nothing if the request is for us, and comes from no page or from one that may ask.
  /// The host is that of the target, if it names one (RFC 9112 3.2.2). HTTP/1.0 may name none.
  [[nodiscard]] std::optional<host_refusal> refuse(const http_request& request) const;

  /// Whether `authority`, as in a `Host` header, is ours.
  [[nodiscard]] bool has(std::string_view authority) const;

private:
  [[nodiscard]] bool is_own_origin(std::string_view origin, std::string_view authority) const;

  std::vector<std::string> names_; ///< `*.example.org`: all below it; `*`: all.
  std::string public_origin_;      ///< Of the card's URL; empty if that has none.
  std::string cors_origins_;
};

} // namespace troupe::net
