// An answer, and how its head is written. The body is a string that the session keeps from request
// to request.
#pragma once

#include <troupe/protocol/memory_budget.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::net {

inline constexpr std::string_view json_type = "application/json";
/// A2A 1.0 section 11.1.
inline constexpr std::string_view a2a_json_type = "application/a2a+json";

/// Reused: `clear` keeps the memory.
struct http_response {
  unsigned status = 200;
  std::string_view content_type = json_type; ///< Empty: no body and no such header (304).
  std::string headers;                       ///< Further header lines, each ended by CRLF.
  std::string body;
  bool close = false;      ///< The last answer on this connection.
  bool repeatable = false; ///< Asking again changes nothing. GET says so itself.
  bool is_asked = false;   ///< What was asked for may have been done already.
  std::string label; ///< What was asked for, for the log: `SendMessage 1`. Set if it is written.

  void clear();
};

/// `date`: a complete `Date: ...\r\n` line, or empty. `keep_alive_1_0`: the client speaks HTTP/1.0
/// and asked for keep-alive.
void write_head(std::string& out, const http_response& response, std::string_view date,
                bool keep_alive_1_0);

/// The reason phrase of RFC 9110 for the codes used here.
[[nodiscard]] std::string_view reason_phrase(unsigned status) noexcept;

/// An error outside of the bindings (AIP-193): `{"error":{"code":404,"status":"NOT_FOUND",
/// "message":"...","details":[{"@type":"...ErrorInfo","reason":"NOT_FOUND","domain":"troupe"}]}}`.
/// Adds Retry-After to 429 and 503.
void write_plain_error(http_response& out, unsigned status, std::string_view message);

/// That the system has no memory for `something`; names limits.memory.
[[nodiscard]] std::string no_memory_for(std::string_view something, const memory_budget& memory);

/// `Retry-After: 1` as a header line.
void add_retry_after(http_response& out);

} // namespace troupe::net
