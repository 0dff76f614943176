// A request to another server, and its answer. Plain values.
#pragma once

#include "protocol/text/text.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::net {

struct outbound_request {
  std::string method = "POST";
  std::vector<std::pair<std::string, std::string>> headers; ///< Besides Host and Content-Length.
  std::string body;
  /// It may be sent twice: once more on a new connection, if one that was left over breaks before
  /// the first byte of the answer. One that may not goes only over a connection that was used a
  /// moment ago (http_connect.cpp: fresh_for).
  bool may_repeat = true;
  /// In place of the client's own time-out.
  std::optional<std::chrono::milliseconds> timeout{};
};

/// Names of headers have no case (RFC 9110 section 5.1).
[[nodiscard]] inline bool is_same_header(std::string_view a, std::string_view b) noexcept {
  const auto lower = [](char c) { return ascii_lower(c); };
  return std::ranges::equal(a, b, {}, lower, lower);
}

struct outbound_answer {
  unsigned status = 0;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;     ///< Cut at answer_bytes_max.
  bool is_whole = true; ///< Else the body was cut, or ended too soon.

  /// The first of that name, in any case; empty if there is none.
  [[nodiscard]] std::string_view header(std::string_view name) const noexcept {
    for (const auto& [each, value] : headers)
      if (is_same_header(each, name))
        return value;
    return {};
  }
};

} // namespace troupe::net
