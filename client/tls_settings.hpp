// What TLS connections are made with: who is believed, and how the client proves who it is.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <string>

namespace troupe::net {

struct tls_settings {
  std::string trusted_pem; ///< Certificates believed beside the system's.
  /// What the client shows to servers that ask for it, as chain and key; empty: nothing.
  std::string certificate_pem;
  std::string key_pem;

  friend bool operator==(const tls_settings&, const tls_settings&) = default;
};

/// From TLS 1.2, servers verified. Without the system's certificates, which take long to read.
/// Errors: invalid_params.
[[nodiscard]] result<std::shared_ptr<boost::asio::ssl::context>>
make_tls(const tls_settings& settings);

} // namespace troupe::net
