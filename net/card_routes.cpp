#include "net/card_routes.hpp"

#include <string_view>

namespace troupe::net {

namespace {

/// Weak comparison of `If-None-Match` (RFC 9110 13.1.2): a list of tags, or `*`.
bool names_tag(std::string_view list, std::string_view tag) noexcept {
  while (!list.empty()) {
    const auto comma = list.find(',');
    auto one = trimmed(list.substr(0, comma));
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
    if (one.starts_with("W/"))
      one.remove_prefix(2);
    if (one == "*" || one == tag)
      return true;
  }
  return false;
}

} // namespace

awaitable<void> get_card(session& connection) {
  auto& response = connection.response();
  const auto& server = connection.server();
  response.headers += "Cache-Control: public, max-age=300\r\nVary: A2A-Version\r\nAccess-Control-Allow-Origin: *\r\nETag: ";
  response.headers += server.card_etag;
  response.headers += "\r\n";
  if (names_tag(connection.request().if_none_match, server.card_etag)) {
    response.status = 304;
    response.content_type = {};
  } else {
    response.body = server.card;
  }
  return {};
}

} // namespace troupe::net
