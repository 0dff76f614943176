#include "protocol/push_config.hpp"

#include "protocol/limits.hpp"

#include <algorithm>
#include <charconv>

namespace troupe {

namespace {

static_assert(push_url_bytes_max == 2048, "the text below names it");
constexpr std::string_view too_long = "longer than 2048 bytes";

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Cuts `scheme` off the front of `url`, in any case (RFC 3986 section 3.1).
bool cut_scheme(std::string_view& url, std::string_view scheme) {
  const auto same = [](char a, char b) { return (a | 0x20) == b; };
  if (url.size() < scheme.size() || !std::equal(scheme.begin(), scheme.end(), url.begin(), [&](char b, char a) {
        return b >= 'a' ? same(a, b) : a == b;
      }))
    return false;
  url.remove_prefix(scheme.size());
  return true;
}

bool is_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, port);
  return problem == std::errc{} && stop == end && port != 0;
}

/// RFC 3986 section 3.2.2, without percent-encoded names.
bool is_host(std::string_view text) {
  if (text.size() > 2 && text.front() == '[' && text.back() == ']')
    return text.find_first_not_of("0123456789abcdefABCDEF:.", 1) == text.size() - 1;
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_alphanumeric(c) || c == '-' || c == '.' || c == '_';
  });
}

} // namespace

std::string_view push_url_problem(std::string_view url) noexcept {
  if (url.empty())
    return "missing or empty; a URL is required";
  if (url.size() > push_url_bytes_max)
    return too_long;
  if (!std::all_of(url.begin(), url.end(), [](char c) { return c > ' ' && c <= '~' && c != '\\'; }))
    return "a URL has printable ASCII characters only";
  if (!cut_scheme(url, "https://") && !cut_scheme(url, "http://"))
    return "expected an absolute URL that begins with http:// or https://";
  auto host = url.substr(0, url.find_first_of("/?#"));
  if (host.find('@') != std::string_view::npos)
    return "user information (name@) is not allowed; use authentication";
  const auto colon = host.rfind(':');
  if (colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos) {
    if (const auto port = host.substr(colon + 1); !port.empty() && !is_port(port))
      return "the port is not a number from 1 to 65535";
    host = host.substr(0, colon);
  }
  return is_host(host) ? std::string_view{} : "the URL names no host";
}

bool is_header_token(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_alphanumeric(c) || std::string_view{"!#$%&'*+-.^_`|~"}.find(c) != std::string_view::npos;
  });
}

} // namespace troupe
