#include "net/http/own_hosts.hpp"

#include "net/http/cors.hpp"
#include "net/http/uri.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/http_url.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <utility>

namespace troupe::net {

namespace {

namespace ip = boost::asio::ip;
using boost::beast::http::verb;

/// Without port and brackets. Not as in a URL: what a header says is compared, never connected to,
/// and the zone of an IPv6 address may follow it (RFC 4007 section 11), which no URL has.
std::string_view host_of(std::string_view authority) noexcept {
  if (authority.starts_with('['))
    return authority.substr(1, authority.find(']') - 1);
  return authority.substr(0, authority.find(':'));
}

bool is_address(std::string_view host) {
  boost::system::error_code ec;
  static_cast<void>(ip::make_address(std::string(host), ec));
  return !ec;
}

/// A dot at the end says that a name is complete (RFC 1034 3.1).
std::string_view without_last_dot(std::string_view name) noexcept {
  if (name.ends_with('.'))
    name.remove_suffix(1);
  return name;
}

bool is_named(std::string_view pattern, std::string_view host) noexcept {
  if (pattern == "*")
    return true;
  if (!pattern.starts_with("*."))
    return equal_ignoring_case(pattern, host);
  const auto ending = pattern.substr(1);
  return host.size() > ending.size()
         && equal_ignoring_case(ending, host.substr(host.size() - ending.size()));
}

/// Changes nothing by its definition (RFC 9110 9.2.1). No path has a GET that does.
bool only_reads(verb method) noexcept {
  return method == verb::get || method == verb::head || method == verb::options;
}

} // namespace

own_hosts::own_hosts(const server_options& options, std::string default_host)
    : names_(options.allowed_hosts), cors_origins_(options.cors_origins) {
  names_.insert(names_.begin(), {"localhost", options.address, std::move(default_host)});
  if (const auto url = parse_http_url(options.card.url)) {
    names_.push_back(url->host);
    public_origin_ = (url->tls ? "https://" : "http://") + url->authority();
  }
}

result<void> own_hosts::check(const std::vector<std::string>& allowed) {
  for (const auto& entry : allowed) {
    std::string_view name = entry;
    if (name.starts_with("*."))
      name.remove_prefix(2);
    if (entry == "*" || is_address(name)
        || (!name.empty() && name.find_first_of("*:/@[] \t") == std::string_view::npos))
      continue;
    return make_error(
        errc::invalid_params,
        "allowed-hosts: " + quoted(entry)
            + " is not a host; write a name or an IP address without scheme, brackets "
              "and port, \"*.example.org\" for all subdomains, or \"*\" for all hosts");
  }
  return {};
}

std::optional<host_refusal> own_hosts::refuse(const http_request& request) const {
  const auto of_target = split_target(request.target).authority;
  const std::string_view authority = of_target ? *of_target : std::string_view(request.host);
  const bool names_none = authority.empty() && request.is_http_1_0;
  if (!names_none && !has(authority))
    return host_refusal{421, "The host " + quoted(shown(authority))
                                 + " is not this server; ask it as localhost or by its IP address, "
                                   "or let its operator name the host (--allowed-host, "
                                   "allowed-hosts)."};
  if (request.origin.empty() || only_reads(request.method)
      || allows_origin(cors_origins_, request.origin) || is_own_origin(request.origin, authority))
    return std::nullopt;
  return host_refusal{403, "Pages of " + quoted(shown(request.origin))
                               + " may change nothing here, unless the operator names this origin "
                                 "(cors-origins)."};
}

bool own_hosts::has(std::string_view authority) const {
  const auto host = without_last_dot(host_of(authority));
  const auto is_this_host = [&](std::string_view name) {
    return is_named(without_last_dot(name), host);
  };
  return std::ranges::any_of(names_, is_this_host) || is_address(host);
}

/// A page of ours, seen as the request sees us, or at the place where clients reach us: a proxy may
/// have put another host in its place.
bool own_hosts::is_own_origin(std::string_view origin, std::string_view authority) const {
  for (const std::string_view scheme : {"http://", "https://"})
    if (origin.starts_with(scheme) && equal_ignoring_case(origin.substr(scheme.size()), authority))
      return true;
  return equal_ignoring_case(origin, public_origin_);
}

} // namespace troupe::net
