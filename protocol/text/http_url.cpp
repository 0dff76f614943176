#include "protocol/text/http_url.hpp"

#include "protocol/text/text.hpp"

#include <boost/url/grammar/parse.hpp>
#include <boost/url/ipv4_address.hpp>
#include <boost/url/rfc/authority_rule.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace troupe {

namespace {

namespace urls = boost::urls;

/// RFC 1035 section 2.3.4, as text.
constexpr std::size_t host_bytes_max = 253;

constexpr std::string_view bad_name =
    "the URL's host is no name of letters, digits, dots and hyphens";
constexpr std::string_view bad_port = "the URL's port is not a number from 1 to 65535";

error bad_url(std::string_view why) {
  return make_error(errc::invalid_params, std::string(why), "url");
}

bool is_name_character(char c) noexcept {
  const char l = ascii_lower(c);
  return (l >= 'a' && l <= 'z') || is_digit(c) || c == '-' || c == '.' || c == '_';
}

bool is_url_character(char c) noexcept {
  return c > ' ' && c <= '~' && std::string_view{"\\\"<>"}.find(c) == std::string_view::npos;
}

/// Cuts a scheme off, in any case (RFC 3986 section 3.1).
bool cut_prefix(std::string_view& text, std::string_view prefix) {
  if (ascii_lower(text.substr(0, prefix.size())) != prefix)
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// A name, or an IPv4 address in its usual form. Anything else that a resolver would take for a
/// number (0x7f.1, 2130706433, 017.0.0.1) is refused: what is checked must be what is connected to.
result<std::string> read_host(std::string_view text) {
  if (text.empty())
    return bad_url("the URL names no host");
  if (text.size() > host_bytes_max || !std::ranges::all_of(text, is_name_character))
    return bad_url(bad_name);
  auto out = ascii_lower(text);
  if (out.back() == '.')
    out.pop_back(); // The root, spelled out.
  if (out.empty() || out.front() == '.' || out.find("..") != std::string::npos)
    return bad_url("the URL's host has an empty label");
  const auto last =
      std::string_view(out).substr(out.rfind('.') + 1); // All of it if there is no dot.
  const bool numeric = std::ranges::all_of(last, is_digit) || last.starts_with("0x");
  if (numeric && !urls::parse_ipv4_address(out))
    return bad_url("the URL's host looks like a number and is no IP address");
  return out;
}

/// Boost.URL 1.81 has a `port_number` that reads 256256 as 59648.
bool read_port(std::string_view digits, std::uint16_t& out) noexcept {
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  return read.ec == std::errc{} && out != 0;
}

/// Cuts off the authority with which `text` begins (RFC 3986 section 3.2).
result<void> take_authority(std::string_view& text, http_url& out) {
  // Boost.URL 1.81 reads the host of "10.0.0.1.example.com" as 10.0.0.1. It reads a name if the
  // first digit is percent-encoded: then the check in `read_host` decides.
  const std::string_view encoding = !text.empty() && is_digit(text.front()) ? "%3" : "";
  const auto readable = std::string{encoding}.append(text);
  const auto* at = readable.data();
  const auto* const end = at + readable.size();
  const auto read = urls::grammar::parse(at, end, urls::authority_rule);
  if (read && read->has_userinfo())
    return bad_url("the URL must not hold user information (name@); use authentication");
  const bool is_v6 = read && read->host_type() == urls::host_type::ipv6;
  if (text.starts_with('[') && !is_v6)
    return bad_url("the URL has brackets without an IPv6 address in them");
  if (!read)
    return bad_url(bad_name);
  if (at != end && std::string_view{"/?#"}.find(*at) == std::string_view::npos)
    return bad_url(read->has_port() ? bad_port
                   : is_v6          ? "the URL has something behind the host that is no port"
                                    : bad_name);
  const std::string_view host = read->encoded_host();
  if (is_v6)
    out.host = ascii_lower(host.substr(1, host.size() - 2));
  else if (auto name = read_host(host.substr(encoding.size())))
    out.host = std::move(*name);
  else
    return name.error();
  out.port = out.tls ? 443 : 80;
  // A colon alone means the usual port (RFC 3986 section 3.2.3).
  if (const std::string_view digits = read->port(); !digits.empty() && !read_port(digits, out.port))
    return bad_url(bad_port);
  text.remove_prefix(static_cast<std::size_t>(at - readable.data()) - encoding.size());
  return {};
}

} // namespace

std::string http_url::authority() const {
  auto out = host.find(':') == std::string::npos ? host : "[" + host + "]";
  if (port != (tls ? 443 : 80))
    out += ":" + std::to_string(port);
  return out;
}

result<http_url> parse_http_url(std::string_view text) {
  if (text.empty())
    return bad_url("missing or empty; a URL is required");
  if (text.size() > http_url_bytes_max)
    return bad_url("the URL is longer than " + std::to_string(http_url_bytes_max) + " bytes");
  if (!std::ranges::all_of(text, is_url_character))
    return bad_url("the URL has characters that no URL has");
  http_url out;
  out.tls = cut_prefix(text, "https://");
  if (!out.tls && !cut_prefix(text, "http://"))
    return bad_url("the URL must begin with http:// or https://");
  if (auto taken = take_authority(text, out); !taken)
    return taken.error();
  const auto target = text.substr(0, text.find('#'));
  out.target = target.starts_with('/') ? std::string(target) : "/" + std::string(target);
  return out;
}

} // namespace troupe
