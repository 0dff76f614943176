#include "net/http/cors.hpp"

namespace troupe::net {

namespace {

/// What a page may send and see, beyond what every page may.
constexpr std::string_view request_headers =
    "Content-Type, Authorization, If-Match, A2A-Version, A2A-Extensions, X-A2A-Extensions, "
    "Troupe-Cursor, Last-Event-ID, Idempotency-Key, traceparent, tracestate";
constexpr std::string_view response_headers =
    "A2A-Extensions, X-A2A-Extensions, ETag, Retry-After, WWW-Authenticate";
constexpr std::string_view preflight_seconds = "600";

} // namespace

bool allows_origin(std::string_view allowed, std::string_view origin) noexcept {
  while (!allowed.empty()) {
    const auto one = take_list_item(allowed);
    if (one == "*" || (!one.empty() && equal_ignoring_case(one, origin)))
      return true;
  }
  return false;
}

bool apply_cors(std::string_view allowed, const http_request& request, http_response& response) {
  if (allowed.empty() || request.origin.empty() || !allows_origin(allowed, request.origin))
    return false;
  auto& headers = response.headers;
  headers.append("Access-Control-Allow-Origin: ")
      .append(request.origin)
      .append("\r\nVary: Origin\r\n");
  headers.append("Access-Control-Expose-Headers: ").append(response_headers).append("\r\n");
  if (request.method != boost::beast::http::verb::options || request.preflight_method.empty())
    return false;
  headers.append("Access-Control-Allow-Methods: GET, POST, PATCH, DELETE, "
                 "HEAD\r\nAccess-Control-Allow-Headers: ");
  headers.append(request_headers)
      .append("\r\nAccess-Control-Max-Age: ")
      .append(preflight_seconds)
      .append("\r\n");
  response.status = 204;
  response.content_type = {};
  return true;
}

} // namespace troupe::net
