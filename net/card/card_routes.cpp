#include "net/card/card_routes.hpp"

#include "net/version.hpp"
#include "protocol/text/http_date.hpp"

namespace troupe::net {

namespace {

/// Weak comparison of `If-None-Match` (RFC 9110 13.1.2): a list of tags, or `*`.
bool names_tag(std::string_view list, std::string_view tag) noexcept {
  while (!list.empty()) {
    auto one = take_list_item(list);
    if (one.starts_with("W/"))
      one.remove_prefix(2);
    if (one == "*" || one == tag)
      return true;
  }
  return false;
}

/// Whether the client has `document` already. `If-Modified-Since` counts only without
/// `If-None-Match` (RFC 9110 13.1.3).
bool has_it(const http_request& request, const card_document& document,
            std::chrono::sys_seconds made_at) noexcept {
  if (!request.if_none_match.empty())
    return names_tag(request.if_none_match, document.etag);
  const auto since = parse_http_date(trimmed(request.if_modified_since));
  return since && made_at <= *since;
}

card_shape shape_for(const http_request& request, card_shape unasked) noexcept {
  switch (parse_version(request.a2a_version, request.query("A2A-Version"))) {
    case asked_version::v1_0: return card_shape::pure_1_0;
    case asked_version::v0_3: return card_shape::superset;
    case asked_version::absent:
    case asked_version::unknown: break;
  }
  return unasked;
}

/// What follows `Bearer`; empty if the header is something else (RFC 6750 2.1).
std::string_view bearer_token(std::string_view authorization) noexcept {
  constexpr std::string_view scheme = "Bearer ";
  if (!equal_ignoring_case(authorization.substr(0, scheme.size()), scheme))
    return {};
  return trimmed(authorization.substr(scheme.size()));
}

/// Looks at every token, so that the time tells nothing.
bool is_known(std::string_view token, const std::vector<digest>& known) {
  const auto shown = sha256(token);
  bool found = false;
  for (const auto& one : known)
    found = equal_in_constant_time(one, shown) || found;
  return found && !token.empty();
}

} // namespace

void get_card(const card_documents& cards, const http_request& request, http_response& response) {
  const auto& document =
      shape_for(request, cards.unasked) == card_shape::pure_1_0 ? cards.pure_1_0 : cards.superset;
  response.headers += document.headers;
  if (has_it(request, document, cards.made_at)) {
    response.status = 304;
    response.content_type = {};
  } else {
    response.body = document.body;
  }
}

void append_card_preflight(std::string& headers) {
  headers +=
      "Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Methods: GET, HEAD, OPTIONS\r\n"
      "Access-Control-Allow-Headers: A2A-Version, A2A-Extensions, X-A2A-Extensions, Content-Type, "
      "If-None-Match, "
      "If-Modified-Since\r\nAccess-Control-Max-Age: 86400\r\n";
}

result<std::string_view> extended_card(const card_documents& cards, const http_request& request,
                                       card_shape shape, std::string& headers) {
  if (cards.tokens.empty())
    return make_error(errc::unsupported_operation, "this agent has no extended card");
  headers += "Vary: Authorization\r\n";
  const auto token = bearer_token(request.authorization);
  if (!is_known(token, cards.tokens)) {
    headers += "Cache-Control: no-store\r\nWWW-Authenticate: Bearer realm=\"extended agent card\"";
    if (!token.empty())
      headers += ", error=\"invalid_token\""; // RFC 6750 3.1
    headers += "\r\n";
    return make_error(errc::unauthenticated,
                      "the extended card needs a bearer token that this server knows");
  }
  headers += "Cache-Control: private\r\n";
  switch (shape) {
    case card_shape::pure_0_3: return std::string_view(cards.extended_0_3);
    case card_shape::rest_0_3: return std::string_view(cards.extended_0_3_rest);
    case card_shape::pure_1_0:
    case card_shape::superset: break;
  }
  return std::string_view(cards.extended_1_0);
}

} // namespace troupe::net
