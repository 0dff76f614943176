#include "client/tls_settings.hpp"

#include "client/io.hpp"

#include <boost/asio/buffer.hpp>

namespace troupe::net {

namespace ssl = boost::asio::ssl;

result<std::shared_ptr<ssl::context>> make_tls(const tls_settings& settings) {
  auto out = std::make_shared<ssl::context>(ssl::context::tls_client);
  error_code ec;
  out->set_options(
      ssl::context::default_workarounds | ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1, ec);
  out->set_verify_mode(ssl::verify_peer, ec);
  if (const auto& pem = settings.trusted_pem; !pem.empty()) {
    out->add_certificate_authority(asio::buffer(pem), ec);
    if (ec)
      return make_error(errc::invalid_params,
                        "the trusted certificates cannot be read: " + ec.message());
  }
  if (const auto& pem = settings.certificate_pem; !pem.empty()) {
    out->use_certificate_chain(asio::buffer(pem), ec);
    if (!ec)
      out->use_private_key(asio::buffer(settings.key_pem), ssl::context::pem, ec);
    if (ec)
      return make_error(errc::invalid_params,
                        "the client's certificate or key cannot be read: " + ec.message());
  }
  return out;
}

} // namespace troupe::net
