// Which pages may call this server from a browser (the Fetch standard's CORS protocol). Off unless
// the operator names origins: a page from anywhere must not drive a server on its reader's machine.
#pragma once

#include "net/http/http_request.hpp"
#include "net/http/http_response.hpp"

#include <string>
#include <string_view>

namespace troupe::net {

/// Whether `origin` is one of `allowed` (separated by commas, or `*`).
[[nodiscard]] bool allows_origin(std::string_view allowed, std::string_view origin) noexcept;

/// Adds the headers that let the page read the answer, if its origin is allowed. True if the
/// request was a preflight: it is answered.
bool apply_cors(std::string_view allowed, const http_request& request, http_response& response);

} // namespace troupe::net
