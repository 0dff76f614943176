// Where notifications may go (docs/push.md). Pure decisions, used when a configuration is made
// (literal addresses) and again for every address a name resolves to when a connection is made.
#pragma once

#include "client/address_class.hpp"
#include "protocol/text/http_url.hpp"
#include <troupe/net/push_options.hpp>
#include <troupe/protocol/errc.hpp>

#include <boost/asio/ip/address.hpp>

namespace troupe::net {

/// Whether a URL may be registered: its scheme, its host by name, and its address if it stands
/// there literally. Names are not resolved. errc::invalid_params with the reason.
[[nodiscard]] result<void> check_push_url(const http_url& url, const push_address_rules& rules);

/// Whether a connection to `address`, which `url.host` resolved to, may be made.
/// errc::invalid_params with the reason.
[[nodiscard]] result<void> check_push_address(const http_url& url,
                                              const boost::asio::ip::address& address,
                                              const push_address_rules& rules);

} // namespace troupe::net
