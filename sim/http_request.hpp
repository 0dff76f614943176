// A request of HTTP/1.1 as parts of the world that the server calls read it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace troupe::sim {

struct http_request {
  std::string head; ///< Without the empty line.
  std::string body;

  /// The value of a header; empty: it is not there.
  [[nodiscard]] std::string header(std::string_view name) const;
};

/// Takes one whole request out of `bytes`; nothing: it is not whole yet.
[[nodiscard]] std::optional<http_request> take_http_request(std::string& bytes);

} // namespace troupe::sim
