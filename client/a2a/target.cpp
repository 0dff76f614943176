#include "client/a2a/target.hpp"

#include "client/address_class.hpp"
#include "protocol/json/base64.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/http_url.hpp"
#include "protocol/text/text.hpp"
#include "protocol/text/url_reference.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace troupe::a2a {

namespace {

constexpr std::array<std::string_view, 2> card_paths{
    "/.well-known/agent-card.json", // A2A 1.0 section 8.2, 0.3 section 5.3
    "/.well-known/agent.json",      // before 0.3
};

std::string without_end(std::string text, char last) {
  while (text.ends_with(last))
    text.pop_back();
  return text;
}

std::string origin_of(const http_url& url) {
  return (url.tls ? "https://" : "http://") + url.authority();
}

/// `1.0`, `1.0.1` and `0.3`, `0.3.0`; nothing for others.
std::optional<wire::a2a_version> version_of(std::string_view text) {
  const auto is = [&](std::string_view version) {
    return text == version
           || (text.size() > version.size() && text.starts_with(version)
               && text[version.size()] == '.');
  };
  if (is("1.0"))
    return wire::a2a_version::v1_0;
  return is("0.3") ? std::optional{wire::a2a_version::v0_3} : std::nullopt;
}

std::optional<wire::a2a_binding> binding_of(std::string_view text) {
  for (const auto each : {wire::a2a_binding::json_rpc, wire::a2a_binding::rest})
    if (text == wire::to_string(each))
      return each;
  return std::nullopt;
}

/// The name of a header in a card is somebody else's text.
bool is_header_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    const char lower = ascii_lower(c);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

std::string listed(const agent_card& card) {
  std::string out;
  for (const auto& each : card.interfaces)
    out += (out.empty() ? "" : ", ") + each.protocol_version + " over " + each.binding;
  return out;
}

} // namespace

result<std::vector<std::string>> card_urls(const target& to) {
  const auto url = parse_http_url(to.url);
  if (!url)
    return make_error(errc::invalid_params, troupe::quoted(shown(to.url))
                                                + " is no URL of a server: " + url.error().message);
  const auto origin = origin_of(*url);
  if (!to.card_path.empty())
    return std::vector{origin + (to.card_path.starts_with('/') ? "" : "/") + to.card_path};
  const auto path = url->target.substr(0, url->target.find('?'));
  if (path.ends_with(".json"))
    return std::vector{origin + url->target};
  std::vector<std::string> out;
  for (const auto each : card_paths)
    out.push_back(origin + without_end(path, '/') + std::string(each));
  return out;
}

void place_interfaces(agent_card& card, const std::string& card_url, const target& to) {
  const auto card_at = parse_http_url(card_url);
  const auto home = parse_http_url(to.url);
  for (auto& each : card.interfaces) {
    if (auto whole = resolve_reference(card_url, each.url))
      each.url = std::move(*whole);
    auto url = parse_http_url(each.url);
    if (!url)
      continue; // said when it is used
    if (to.is_at_origin && home)
      each.url = origin_of(*home) + url->target;
    else if (card_at && (url->host == "0.0.0.0" || url->host == "::"))
      each.url = origin_of({url->tls, card_at->host, url->port, {}}) + url->target;
  }
}

result<std::string> follow_redirect(const std::string& url, std::string_view location) {
  const auto words = [&](std::string_view reason) {
    return "the agent card at " + url + " is somewhere else, and " + std::string(reason);
  };
  auto out = resolve_reference(url, location);
  if (location.empty() || !out || !parse_http_url(*out))
    return make_error(errc::invalid_agent_response, words("its address is none"));
  if (!parse_http_url(*out)->tls && !is_same_origin(*out, url))
    return make_error(errc::forbidden, words("a redirect without TLS is not followed: name the "
                                             "right URL"));
  return std::move(*out);
}

bool is_same_origin(const std::string& one, const std::string& other) {
  const auto a = parse_http_url(one);
  const auto b = parse_http_url(other);
  return a && b && origin_of(*a) == origin_of(*b);
}

result<endpoint> choose_endpoint(const agent_card& card, const target& to) {
  const agent_interface* best = nullptr;
  std::size_t best_rank = 0;
  endpoint out;
  for (const auto& each : card.interfaces) {
    const auto version = version_of(each.protocol_version);
    const auto binding = binding_of(each.binding);
    if (!version || !binding || (to.version && to.version != version)
        || (to.binding && to.binding != binding))
      continue;
    const auto rank =
        static_cast<std::size_t>(std::ranges::find(to.preferred, *binding) - to.preferred.begin());
    if (best && std::tie(*version, rank) >= std::tie(out.format.version, best_rank))
      continue; // 1.0 is the smaller one
    best = &each;
    best_rank = rank;
    out.format = {*version, *binding};
  }
  if (best == nullptr) {
    const bool is_asked_for = to.version || to.binding;
    std::string wanted =
        is_asked_for
            ? std::string(to.version ? wire::to_string(*to.version) : "any version") + " over "
                  + std::string(to.binding ? wire::to_string(*to.binding) : "any binding")
                  + " was asked for"
            : "this client speaks 1.0 and 0.3 over JSONRPC and HTTP+JSON";
    return make_error(errc::version_not_supported,
                      "the agent speaks A2A " + shown(listed(card)) + "; " + wanted);
  }
  // Paths of REST are added to it; a JSON-RPC endpoint is the URL as it is.
  out.url =
      out.format.binding == wire::a2a_binding::json_rpc ? best->url : without_end(best->url, '/');
  out.tenant = best->tenant;
  return out;
}

result<std::vector<std::pair<std::string, std::string>>>
authentication_headers(const target& to, const std::string& url, const agent_card* card) {
  std::vector<std::pair<std::string, std::string>> out;
  if (to.authentication.empty())
    return out;
  const auto home = parse_http_url(to.url);
  const auto there = parse_http_url(url);
  if (!home)
    return home.error();
  if (!there)
    return there.error();
  // An origin has a port, too (RFC 6454 section 4): another one may be another user's program.
  const bool is_home = there->host == home->host && there->port == home->port;
  const auto is_named = [&](const std::string& name) {
    return std::ranges::find(to.hosts, name) != to.hosts.end();
  };
  if (!is_home && !is_named(there->host) && !is_named(there->authority()))
    return make_error(errc::forbidden, "the agent card leads to " + there->authority() + ", not to "
                                           + home->authority()
                                           + ", so the credentials are not sent there; name it in "
                                             "`hosts` of the target if that is right");
  if (!there->tls && !to.allow_http && !net::is_this_computer(there->host))
    return make_error(errc::forbidden,
                      "the credentials are not sent to " + there->host
                          + " without TLS; use https, or say `allow-http = true` in the target");
  if (!to.authentication.bearer.empty())
    out.emplace_back("Authorization", "Bearer " + to.authentication.bearer);
  else if (!to.authentication.basic_user.empty())
    out.emplace_back("Authorization",
                     basic_header(to.authentication.basic_user, to.authentication.basic_password));
  if (to.authentication.api_key.empty())
    return out;
  auto header = to.authentication.api_key_header;
  if (header.empty() && card != nullptr)
    for (const auto& scheme : card->security_schemes)
      if (const auto* key = std::get_if<api_key_scheme>(&scheme.kind);
          key != nullptr && key->location == "header" && header.empty()
          && is_header_name(key->name))
        header = key->name;
  out.emplace_back(header.empty() ? "X-API-Key" : header, to.authentication.api_key);
  return out;
}

std::string basic_header(std::string_view user, std::string_view password) {
  return "Basic " + to_base64(std::string(user) + ":" + std::string(password));
}

bool offers(const agent_card& card, std::string_view extension) noexcept {
  return std::ranges::any_of(card.capabilities.extensions,
                             [&](const auto& each) { return each.uri == extension; });
}

} // namespace troupe::a2a
