#include "protocol/limits.hpp"
#include "protocol/text/http_url.hpp"
#include <troupe/protocol/push_config.hpp>

#include <algorithm>

namespace troupe {

namespace {

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

result<void> check_header_text(const std::string& text, const char* field, std::size_t bytes_max) {
  const auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
  if (text.size() > bytes_max)
    return make_error(errc::invalid_params, "longer than " + std::to_string(bytes_max) + " bytes",
                      field);
  if (!std::all_of(text.begin(), text.end(), is_printable))
    return make_error(errc::invalid_params, "only printable ASCII can be sent in a header", field);
  return {};
}

} // namespace

result<void> check_push_config(const push_config& config) {
  if (!config.id.empty() && !is_acceptable_id(config.id))
    return make_error(
        errc::invalid_params,
        "1 to " + std::to_string(id_bytes_max) + " bytes, no control characters and no '/'", "id");
  if (const auto url = parse_http_url(config.url); !url)
    return make_error(errc::invalid_params, url.error().message, "url");
  if (auto token = check_header_text(config.token, "token", push_token_bytes_max); !token)
    return token;
  if (!config.authentication)
    return {};
  if (!is_header_token(config.authentication->scheme))
    return make_error(errc::invalid_params,
                      "the name of an authentication scheme is required, such as Bearer",
                      "authentication.scheme");
  if (auto scheme = check_header_text(config.authentication->scheme, "authentication.scheme",
                                      push_credentials_bytes_max);
      !scheme)
    return scheme;
  return check_header_text(config.authentication->credentials, "authentication.credentials",
                           push_credentials_bytes_max);
}

bool is_header_token(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_alphanumeric(c)
           || std::string_view{"!#$%&'*+-.^_`|~"}.find(c) != std::string_view::npos;
  });
}

} // namespace troupe
