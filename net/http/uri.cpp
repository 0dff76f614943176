#include "net/http/uri.hpp"

#include <algorithm>

namespace troupe::net {

std::optional<query_pair> take_pair(std::string_view& query) noexcept {
  while (!query.empty()) {
    const auto end = query.find('&');
    const auto pair = query.substr(0, end);
    query = end == std::string_view::npos ? std::string_view{} : query.substr(end + 1);
    if (pair.empty())
      continue;
    const auto equals = pair.find('=');
    if (equals == std::string_view::npos)
      return query_pair{pair, {}};
    return query_pair{pair.substr(0, equals), pair.substr(equals + 1)};
  }
  return std::nullopt;
}

target_parts split_target(std::string_view target) noexcept {
  target_parts out;
  // Absolute form (RFC 9112 3.2.2): a client that takes us for a proxy.
  const auto scheme_end = std::min(target.find_first_of(":/?"), target.size());
  if (target.substr(scheme_end).starts_with("://")) {
    target.remove_prefix(scheme_end + 3);
    const auto end = std::min(target.find_first_of("/?"), target.size());
    out.authority = target.substr(0, end);
    target.remove_prefix(end);
  }
  const auto mark = std::min(target.find('?'), target.size());
  if (mark > 0)
    out.path = target.substr(0, mark);
  if (mark < target.size())
    out.query = target.substr(mark + 1);
  return out;
}

} // namespace troupe::net
