// An http or https URL, taken apart: the one place that knows what a URL to post to looks like.
// Codecs refuse with it what a client sends, the HTTP client connects with it. Whether a URL may
// be posted to is not decided here (net/push/push_address.hpp).
#pragma once

#include <troupe/protocol/errc.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

/// A longer URL is refused.
inline constexpr std::size_t http_url_bytes_max = 2048;

/// RFC 3986. The fragment is dropped: it is never sent.
struct http_url {
  bool tls = true;
  std::string host; ///< Lower case; an IPv6 address as it stands, without brackets.
  std::uint16_t port = 443;
  std::string target = "/"; ///< Path and query, as they stand.

  /// The value of the `Host` header: without a port that is the scheme's own (RFC 9110 7.2).
  [[nodiscard]] std::string authority() const;

  friend bool operator==(const http_url&, const http_url&) = default;
};

/// errc::invalid_params with the reason: empty, too long, not http(s), user information, no host, a
/// host that a resolver would take for a number though it is no IP address, a port outside 1 to
/// 65535, or characters that no URL has. The reason never repeats the text.
[[nodiscard]] result<http_url> parse_http_url(std::string_view text);

} // namespace troupe
