// Every IP address put in its class, so that a connection that somebody else asked for reaches
// public addresses only. Pure decisions.
#pragma once

#include "protocol/text/http_url.hpp"
#include <troupe/protocol/errc.hpp>

#include <boost/asio/ip/address.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::net {

enum class address_class : std::uint8_t {
  global,        ///< Everything else: may be posted to.
  unspecified,   ///< 0.0.0.0/8, ::
  loopback,      ///< 127.0.0.0/8, ::1
  private_use,   ///< 10/8, 172.16/12, 192.168/16 (RFC 1918), fc00::/7 (RFC 4193), fec0::/10
  shared,        ///< 100.64.0.0/10 (RFC 6598)
  link_local,    ///< 169.254.0.0/16, fe80::/10; cloud metadata lives here
  documentation, ///< 192.0.2/24, 198.51.100/24, 203.0.113/24 (RFC 5737), 2001:db8::/32, 3fff::/20
                 ///< (RFC 9637)
  reserved,  ///< 192.0.0/24, 192.88.99/24, 198.18/15, 240/4, 100::/64, 2001::/23, 5f00::/16 and all
             ///< outside 2000::/3
  multicast, ///< 224/4, ff00::/8
  broadcast  ///< 255.255.255.255
};

[[nodiscard]] std::string_view to_string(address_class kind) noexcept;

/// An address that carries an IPv4 address (mapped, compatible, NAT64 64:ff9b::/96, 6to4 2002::/16)
/// has the class of that one.
[[nodiscard]] address_class classify(const boost::asio::ip::address& address) noexcept;

/// Whether a host, as a URL names it, is this computer: `localhost`, or a loopback address.
[[nodiscard]] bool is_this_computer(const std::string& host);

/// Whether a connection to `address`, which `url.host` resolved to, may be made if only public ones
/// may be reached (http_client_options::admit). Errors: forbidden.
[[nodiscard]] result<void> admit_public_only(const http_url& url,
                                             const boost::asio::ip::address& address);

} // namespace troupe::net
