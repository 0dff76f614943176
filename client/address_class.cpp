#include "client/address_class.hpp"

#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/address_v6.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace troupe::net {

namespace {

namespace ip = boost::asio::ip;

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

address_class classify_v4(std::uint32_t address) noexcept {
  for (const auto& row : v4_rows)
    if ((address ^ row.network) >> (32 - row.bits) == 0)
      return row.kind;
  return address_class::global;
}

address_class classify_v6(const v6_bytes& address) noexcept {
  for (const auto& row : v6_rows)
    if (row.bits == 128 && fits(address, row.network, row.bits))
      return row.kind;
  for (const auto& row : carriers)
    if (fits(address, row.network, row.bits))
      return classify_v4(
          v4(address[row.at], address[row.at + 1], address[row.at + 2], address[row.at + 3]));
  for (const auto& row : v6_rows)
    if (fits(address, row.network, row.bits))
      return row.kind;
  return address_class::reserved;
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
  return address.is_v4() ? classify_v4(address.to_v4().to_uint())
                         : classify_v6(address.to_v6().to_bytes());
}

bool is_this_computer(const std::string& host) {
  if (host == "localhost")
    return true;
  boost::system::error_code failed;
  const auto address = boost::asio::ip::make_address(host, failed);
  return !failed && address.is_loopback();
}

result<void> admit_public_only(const http_url& url, const ip::address& address) {
  const auto kind = classify(address);
  if (kind == address_class::global)
    return {};
  return make_error(errc::forbidden, url.host + " leads to " + address.to_string()
                                         + ", an address that is " + std::string(to_string(kind))
                                         + "; only public addresses may be reached");
}

} // namespace troupe::net
