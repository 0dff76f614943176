#include "net/push_address.hpp"

#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/address_v6.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace troupe::net {

namespace {

namespace ip = boost::asio::ip;
using error_code = boost::system::error_code;

// -- classes -----------------------------------------------------------------------------------------------------------

struct v4_row {
  std::uint32_t network;
  unsigned bits;
  address_class what;
};

constexpr std::uint32_t v4(unsigned a, unsigned b, unsigned c, unsigned d) { return a << 24 | b << 16 | c << 8 | d; }

/// IANA IPv4 special-purpose registry (RFC 6890) and multicast. The first row that fits counts.
constexpr auto v4_rows = std::to_array<v4_row>({
  {v4(0, 0, 0, 0),         8,  address_class::unspecified  },
  {v4(10, 0, 0, 0),        8,  address_class::private_use  },
  {v4(100, 64, 0, 0),      10, address_class::shared       },
  {v4(127, 0, 0, 0),       8,  address_class::loopback     },
  {v4(169, 254, 0, 0),     16, address_class::link_local   },
  {v4(172, 16, 0, 0),      12, address_class::private_use  },
  {v4(192, 0, 0, 0),       24, address_class::reserved     },
  {v4(192, 0, 2, 0),       24, address_class::documentation},
  {v4(192, 88, 99, 0),     24, address_class::reserved     },
  {v4(192, 168, 0, 0),     16, address_class::private_use  },
  {v4(198, 18, 0, 0),      15, address_class::reserved     },
  {v4(198, 51, 100, 0),    24, address_class::documentation},
  {v4(203, 0, 113, 0),     24, address_class::documentation},
  {v4(224, 0, 0, 0),       4,  address_class::multicast    },
  {v4(255, 255, 255, 255), 32, address_class::broadcast    },
  {v4(240, 0, 0, 0),       4,  address_class::reserved     },
});

using v6_bytes = ip::address_v6::bytes_type;

struct v6_row {
  std::array<std::uint16_t, 8> network;
  unsigned bits;
  address_class what;
};

/// IANA IPv6 special-purpose registry. The first row that fits counts; what no row fits is reserved unless it is in 2000::/3.
constexpr auto v6_rows = std::to_array<v6_row>({
  {{},                                128, address_class::unspecified  },
  {{0, 0, 0, 0, 0, 0, 0, 1},          128, address_class::loopback     },
  {{0x0100},                          64,  address_class::reserved     },
  {{0x2001, 0x0db8},                  32,  address_class::documentation},
  {{0x2001, 0},                       23,  address_class::reserved     },
  {{0x3fff},                          20,  address_class::documentation},
  {{0x5f00},                          16,  address_class::reserved     },
  {{0xfc00},                          7,   address_class::private_use  },
  {{0xfe80},                          10,  address_class::link_local   },
  {{0xfec0},                          10,  address_class::private_use  },
  {{0xff00},                          8,   address_class::multicast    },
  {{0x2000},                          3,   address_class::global       },
});

/// Prefixes behind which an IPv4 address stands, and at which byte.
struct carrier_row {
  std::array<std::uint16_t, 8> network;
  unsigned bits;
  std::size_t at;
};

constexpr auto carriers = std::to_array<carrier_row>({
  {{0, 0, 0, 0, 0, 0xffff},           96, 12}, // IPv4-mapped, RFC 4291 2.5.5.2
  {{0, 0, 0, 0, 0xffff, 0},           96, 12}, // IPv4-translated, RFC 2765
  {{0x0064, 0xff9b},                  96, 12}, // NAT64, RFC 6052
  {{0x2002},                          16, 2 }, // 6to4, RFC 3056
  {{},                                96, 12}, // IPv4-compatible, RFC 4291 2.5.5.1
});

bool fits(const v6_bytes& address, const std::array<std::uint16_t, 8>& network, unsigned bits) noexcept {
  for (unsigned bit = 0; bit < bits; ++bit) {
    const auto mine = address[bit / 8] >> (7 - bit % 8) & 1;
    const auto its = network[bit / 16] >> (15 - bit % 16) & 1;
    if (mine != its)
      return false;
  }
  return true;
}

address_class classify(std::uint32_t address) noexcept {
  for (const auto& row : v4_rows)
    if ((address ^ row.network) >> (32 - row.bits) == 0)
      return row.what;
  return address_class::global;
}

address_class classify(const v6_bytes& address) noexcept {
  for (const auto& row : v6_rows)
    if (row.bits == 128 && fits(address, row.network, row.bits))
      return row.what;
  for (const auto& row : carriers)
    if (fits(address, row.network, row.bits))
      return classify(v4(address[row.at], address[row.at + 1], address[row.at + 2], address[row.at + 3]));
  for (const auto& row : v6_rows)
    if (fits(address, row.network, row.bits))
      return row.what;
  return address_class::reserved;
}

// -- URLs --------------------------------------------------------------------------------------------------------------

error bad_url(std::string_view why) {
  return make_error(errc::invalid_params, "The notification URL " + std::string(why) + ".", "url");
}

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return lower(c); });
  return out;
}

bool cut_prefix(std::string_view& text, std::string_view prefix) {
  if (text.size() < prefix.size() || lower(text.substr(0, prefix.size())) != prefix)
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool is_name_character(char c) noexcept {
  const char l = lower(c);
  return (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

/// A name, or an IPv4 address in its usual form. Anything else that a resolver would take for a number (0x7f.1, 2130706433, 017.0.0.1)
/// is refused: what is checked must be what is connected to.
result<std::string> read_host(std::string_view text) {
  if (text.empty())
    return bad_url("names no host");
  if (text.size() > 253 || !std::ranges::all_of(text, is_name_character))
    return bad_url("has a host that is no name of letters, digits, dots and hyphens");
  auto out = lower(text);
  if (out.back() == '.')
    out.pop_back(); // The root, spelled out.
  if (out.empty() || out.front() == '.' || out.find("..") != std::string::npos)
    return bad_url("has a host with an empty label");
  const auto last = out.substr(out.rfind('.') == std::string::npos ? 0 : out.rfind('.') + 1);
  const bool numeric = std::ranges::all_of(last, [](char c) { return c >= '0' && c <= '9'; }) || last.starts_with("0x");
  error_code ec;
  ip::make_address_v4(out, ec);
  if (numeric && ec)
    return bad_url("has a host that looks like a number and is no IP address");
  return out;
}

result<std::string> read_v6_host(std::string_view text) {
  error_code ec;
  const auto address = ip::make_address_v6(std::string(text), ec);
  if (ec || text.find('%') != std::string_view::npos)
    return bad_url("has brackets without an IPv6 address in them");
  return address.to_string();
}

result<std::uint16_t> read_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, ec] = std::from_chars(text.data(), end, port);
  if (ec != std::errc{} || stop != end || port == 0)
    return bad_url("has a port that is no number from 1 to 65535");
  return port;
}

std::optional<ip::address> literal_address(const std::string& host) {
  error_code ec;
  auto out = ip::make_address(host, ec);
  return ec ? std::nullopt : std::optional{out};
}

// -- rules -------------------------------------------------------------------------------------------------------------

bool names(const std::string& pattern, const std::string& host) {
  const auto wanted = lower(pattern);
  if (wanted.starts_with("*."))
    return host.size() > wanted.size() - 1 && host.ends_with(wanted.substr(1));
  return host == wanted;
}

bool is_listed(const http_url& url, const push_address_rules& rules) {
  return std::ranges::any_of(rules.allow_hosts, [&](const auto& each) { return names(each, url.host); });
}

} // namespace

std::string http_url::authority() const {
  auto out = host.find(':') == std::string::npos ? host : "[" + host + "]";
  if (port != (tls ? 443 : 80))
    out += ":" + std::to_string(port);
  return out;
}

result<http_url> parse_http_url(std::string_view text) {
  if (!std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7f && c != '\\' && c != '"' && c != '<' && c != '>'; }))
    return bad_url("has characters that no URL has");
  http_url out;
  out.tls = cut_prefix(text, "https://");
  if (!out.tls && !cut_prefix(text, "http://"))
    return bad_url("must begin with https://");
  text = text.substr(0, text.find('#'));
  const auto authority_end = std::min(text.find_first_of("/?"), text.size());
  auto authority = text.substr(0, authority_end);
  const auto rest = text.substr(authority_end);
  if (authority.find('@') != std::string_view::npos)
    return bad_url("must not hold a user name or password");
  out.port = out.tls ? 443 : 80;
  result<std::string> host{std::string{}};
  if (authority.starts_with('[')) {
    const auto close = authority.find(']');
    if (close == std::string_view::npos)
      return bad_url("has an opening bracket only");
    host = read_v6_host(authority.substr(1, close - 1));
    authority.remove_prefix(close + 1);
    if (!authority.empty() && authority.front() != ':')
      return bad_url("has something behind the host that is no port");
  } else {
    const auto colon = std::min(authority.find(':'), authority.size());
    host = read_host(authority.substr(0, colon));
    authority.remove_prefix(colon);
  }
  if (!host)
    return host.error();
  out.host = std::move(*host);
  if (authority.size() > 1) { // A colon alone means the usual port (RFC 3986 3.2.3).
    const auto port = read_port(authority.substr(1));
    if (!port)
      return port.error();
    out.port = *port;
  }
  out.target = rest.starts_with('/') ? std::string(rest) : "/" + std::string(rest);
  return out;
}

std::string_view to_string(address_class what) noexcept {
  switch (what) {
    case address_class::global: return "global";
    case address_class::unspecified: return "unspecified";
    case address_class::loopback: return "loopback";
    case address_class::private_use: return "private";
    case address_class::shared: return "shared";
    case address_class::link_local: return "link-local";
    case address_class::documentation: return "for documentation only";
    case address_class::reserved: return "reserved";
    case address_class::multicast: return "multicast";
    case address_class::broadcast: return "broadcast";
  }
  return "reserved";
}

address_class classify(const ip::address& address) noexcept {
  return address.is_v4() ? classify(address.to_v4().to_uint()) : classify(address.to_v6().to_bytes());
}

result<void> check_push_url(const http_url& url, const push_address_rules& rules) {
  if (!url.tls && !rules.allow_http)
    return bad_url("must begin with https://; this server posts to nothing else");
  if (!rules.allow_hosts.empty() && !is_listed(url, rules))
    return bad_url("names a host that is not among those this server may post to");
  if (const auto address = literal_address(url.host))
    return check_push_address(url, *address, rules);
  const bool local = url.host == "localhost" || url.host.ends_with(".localhost"); // RFC 6761 6.3: always the loopback
  if (local && !rules.allow_private && !is_listed(url, rules))
    return bad_url("leads to this machine itself; this server posts to public addresses only");
  return {};
}

result<void> check_push_address(const http_url& url, const ip::address& address, const push_address_rules& rules) {
  const auto what = classify(address);
  if (what == address_class::global)
    return {};
  const bool nobody = what == address_class::multicast || what == address_class::broadcast;
  if (!nobody && (rules.allow_private || is_listed(url, rules)))
    return {};
  return bad_url("leads to " + address.to_string() + ", an address that is " + std::string(to_string(what))
                 + "; this server posts to public addresses only");
}

} // namespace troupe::net
