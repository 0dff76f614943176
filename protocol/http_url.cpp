#include "protocol/http_url.hpp"

#include "protocol/text.hpp"

#include <boost/url/ipv4_address.hpp>
#include <boost/url/ipv6_address.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace troupe {

namespace {

/// RFC 1035 section 2.3.4, as text.
constexpr std::size_t host_bytes_max = 253;

error bad_url(std::string_view why) {
  return make_error(errc::invalid_params, std::string(why), "url");
}

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
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
    return bad_url("the URL's host is no name of letters, digits, dots and hyphens");
  auto out = ascii_lower(text);
  if (out.back() == '.')
    out.pop_back(); // The root, spelled out.
  if (out.empty() || out.front() == '.' || out.find("..") != std::string::npos)
    return bad_url("the URL's host has an empty label");
  const auto last =
      std::string_view(out).substr(out.rfind('.') + 1); // All of it if there is no dot.
  const bool numeric = std::ranges::all_of(last, is_digit) || last.starts_with("0x");
  if (numeric && !boost::urls::parse_ipv4_address(out))
    return bad_url("the URL's host looks like a number and is no IP address");
  return out;
}

result<std::string> read_v6_host(std::string_view text) {
  auto out = ascii_lower(text);
  if (!boost::urls::parse_ipv6_address(out))
    return bad_url("the URL has brackets without an IPv6 address in them");
  return out;
}

std::optional<std::uint16_t> read_port(std::string_view text) noexcept {
  std::uint16_t port = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, ec] = std::from_chars(text.data(), end, port);
  return ec == std::errc{} && stop == end && port != 0 ? std::optional{port} : std::nullopt;
}

/// Host and port (RFC 3986 section 3.2).
result<void> read_authority(std::string_view text, http_url& out) {
  if (text.find('@') != std::string_view::npos)
    return bad_url("the URL must not hold user information (name@); use authentication");
  const bool in_brackets = text.starts_with('[');
  const auto host_end = in_brackets ? text.find(']') : std::min(text.find(':'), text.size());
  if (host_end == std::string_view::npos)
    return bad_url("the URL has an opening bracket only");
  auto host = in_brackets ? read_v6_host(text.substr(1, host_end - 1))
                          : read_host(text.substr(0, host_end));
  if (!host)
    return host.error();
  out.host = std::move(*host);
  text.remove_prefix(host_end + (in_brackets ? 1 : 0));
  if (!text.empty() && text.front() != ':')
    return bad_url("the URL has something behind the host that is no port");
  out.port = out.tls ? 443 : 80;
  if (text.size() <= 1)
    return {}; // A colon alone means the usual port (RFC 3986 section 3.2.3).
  const auto port = read_port(text.substr(1));
  if (!port)
    return bad_url("the URL's port is not a number from 1 to 65535");
  out.port = *port;
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
  text = text.substr(0, text.find('#'));
  const auto authority_end = std::min(text.find_first_of("/?"), text.size());
  if (auto read = read_authority(text.substr(0, authority_end), out); !read)
    return read.error();
  const auto rest = text.substr(authority_end);
  out.target = rest.starts_with('/') ? std::string(rest) : "/" + std::string(rest);
  return out;
}

} // namespace troupe
