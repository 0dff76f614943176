#include "net/push/push_address.hpp"

#include "protocol/text/text.hpp"

#include <algorithm>
#include <optional>

namespace troupe::net {

namespace {

namespace ip = boost::asio::ip;
using error_code = boost::system::error_code;

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
