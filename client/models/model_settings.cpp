#include "client/models/model_settings.hpp"

#include "client/address_class.hpp"

#include <boost/asio/ip/address.hpp>

namespace troupe::models {

bool is_address(const std::string& host) {
  boost::system::error_code failed;
  static_cast<void>(boost::asio::ip::make_address(host, failed));
  return !failed;
}

result<http_url> request_url(const model_settings& settings) {
  auto base = settings.url;
  while (base.ends_with('/'))
    base.pop_back();
  auto out = parse_http_url(base + settings.path);
  if (!out)
    return make_error(errc::invalid_params,
                      "the URL of the model is not valid: " + out.error().message);
  if (!settings.key.empty() && !out->tls && !settings.allow_http
      && !net::is_this_computer(out->host))
    return make_error(errc::forbidden, "the key is not sent to " + out->host
                                           + " without TLS; use https, or say `allow-http = true`");
  return out;
}

} // namespace troupe::models
