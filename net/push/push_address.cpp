#include "net/push/push_address.hpp"

#include "protocol/text.hpp"

#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/address_v6.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace troupe::net {

namespace {

namespace ip = boost::asio::ip;
using error_code = boost::system::error_code;

// -- classes --------------------------------------------------------------------------------------

struct v4_row {
  std::uint32_t network;
  unsigned bits;
  address_class kind;
};

constexpr std::uint32_t v4(unsigned a, unsigned b, unsigned c, unsigned d) {
  return a << 24 | b << 16 | c << 8 | d;
}

/// IANA IPv4 special-purpose registry (RFC 6890) and multicast. The first row that fits counts.
constexpr auto v4_rows = std::to_array<v4_row>({
    {v4(0, 0, 0, 0), 8, address_class::unspecified},
    {v4(10, 0, 0, 0), 8, address_class::private_use},
    {v4(100, 64, 0, 0), 10, address_class::shared},
    {v4(127, 0, 0, 0), 8, address_class::loopback},
    {v4(169, 254, 0, 0), 16, address_class::link_local},
    {v4(172, 16, 0, 0), 12, address_class::private_use},
    {v4(192, 0, 0, 0), 24, address_class::reserved},
    {v4(192, 0, 2, 0), 24, address_class::documentation},
    {v4(192, 88, 99, 0), 24, address_class::reserved},
    {v4(192, 168, 0, 0), 16, address_class::private_use},
    {v4(198, 18, 0, 0), 15, address_class::reserved},
    {v4(198, 51, 100, 0), 24, address_class::documentation},
    {v4(203, 0, 113, 0), 24, address_class::documentation},
    {v4(224, 0, 0, 0), 4, address_class::multicast},
    {v4(255, 255, 255, 255), 32, address_class::broadcast},
    {v4(240, 0, 0, 0), 4, address_class::reserved},
});

using v6_bytes = ip::address_v6::bytes_type;

struct v6_row {
  std::array<std::uint16_t, 8> network;
  unsigned bits;
  address_class kind;
};

/// IANA IPv6 special-purpose registry. The first row that fits counts; what no row fits is reserved
/// unless it is in 2000::/3.
constexpr auto v6_rows = std::to_array<v6_row>({
    {{}, 128, address_class::unspecified},
    {{0, 0, 0, 0, 0, 0, 0, 1}, 128, address_class::loopback},
    {{0x0100}, 64, address_class::reserved},
    {{0x2001, 0x0db8}, 32, address_class::documentation},
    {{0x2001, 0}, 23, address_class::reserved},
    {{0x3fff}, 20, address_class::documentation},
    {{0x5f00}, 16, address_class::reserved},
    {{0xfc00}, 7, address_class::private_use},
    {{0xfe80}, 10, address_class::link_local},
    {{0xfec0}, 10, address_class::private_use},
    {{0xff00}, 8, address_class::multicast},
    {{0x2000}, 3, address_class::global},
});

/// Prefixes behind which an IPv4 address stands, and at which byte.
struct carrier_row {
  std::array<std::uint16_t, 8> network;
  unsigned bits;
  std::size_t at;
};

constexpr auto carriers = std::to_array<carrier_row>({
    {{0, 0, 0, 0, 0, 0xffff}, 96, 12}, // IPv4-mapped, RFC 4291 2.5.5.2
    {{0, 0, 0, 0, 0xffff, 0}, 96, 12}, // IPv4-translated, RFC 2765
    {{0x0064, 0xff9b}, 96, 12},        // NAT64, RFC 6052
    {{0x2002}, 16, 2},                 // 6to4, RFC 3056
    {{}, 96, 12},                      // IPv4-compatible, RFC 4291 2.5.5.1
});

bool fits(const v6_bytes& address, const std::array<std::uint16_t, 8>& network,
          unsigned bits) noexcept {
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
      return row.kind;
  return address_class::global;
}

address_class classify(const v6_bytes& address) noexcept {
  for (const auto& row : v6_rows)
    if (row.bits == 128 && fits(address, row.network, row.bits))
      return row.kind;
  for (const auto& row : carriers)
    if (fits(address, row.network, row.bits))
      return classify(
          v4(address[row.at], address[row.at + 1], address[row.at + 2], address[row.at + 3]));
  for (const auto& row : v6_rows)
    if (fits(address, row.network, row.bits))
      return row.kind;
  return address_class::reserved;
}

// -- rules ----------------------------------------------------------------------------------------

error bad_url(std::string_view why) {
  return make_error(errc::invalid_params, "the notification URL " + std::string(why), "url");
}

std::optional<ip::address> literal_address(const std::string& host) {
  error_code ec;
  auto out = ip::make_address(host, ec);
  return ec ? std::nullopt : std::optional{out};
}

bool names(const std::string& pattern, const std::string& host) {
  const auto wanted = ascii_lower(pattern);
  if (wanted.starts_with("*."))
    return host.size() > wanted.size() - 1 && host.ends_with(wanted.substr(1));
  return host == wanted;
}

bool is_listed(const http_url& url, const push_address_rules& rules) {
  return std::ranges::any_of(rules.allow_hosts,
                             [&](const auto& each) { return names(each, url.host); });
}

} // namespace

std::string_view to_string(address_class kind) noexcept {
  switch (kind) {
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
  return address.is_v4() ? classify(address.to_v4().to_uint())
                         : classify(address.to_v6().to_bytes());
}

result<void> check_push_url(const http_url& url, const push_address_rules& rules) {
  if (!url.tls && !rules.allow_http)
    return bad_url("must begin with https://; this server posts to nothing else");
  if (!rules.allow_hosts.empty() && !is_listed(url, rules))
    return bad_url("names a host that is not among those this server may post to");
  if (const auto address = literal_address(url.host))
    return check_push_address(url, *address, rules);
  const bool local = url.host == "localhost"
                     || url.host.ends_with(".localhost"); // RFC 6761 6.3: always the loopback
  if (local && !rules.allow_private && !is_listed(url, rules))
    return bad_url("leads to this machine itself; this server posts to public addresses only");
  return {};
}

result<void> check_push_address(const http_url& url, const ip::address& address,
                                const push_address_rules& rules) {
  const auto kind = classify(address);
  if (kind == address_class::global)
    return {};
  const bool is_of_many = kind == address_class::multicast || kind == address_class::broadcast;
  if (!is_of_many && (rules.allow_private || is_listed(url, rules)))
    return {};
  return bad_url("leads to " + address.to_string() + ", an address that is "
                 + std::string(to_string(kind)) + "; this server posts to public addresses only");
}

} // namespace troupe::net
