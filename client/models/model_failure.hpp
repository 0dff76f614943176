// Why a call of a model failed, read from what its server answered. Plain values and functions.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/time.hpp>

#include <boost/json/value.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::models {

enum class failure_kind : std::uint8_t {
  refused_member,  ///< 400 or 422 that names a member of the request.
  invalid_request, ///< Another one.
  context_too_long,
  filtered,        ///< A filter of the server refused the request.
  unauthenticated, ///< 401.
  forbidden,       ///< 403, and what our own rules refuse.
  not_found,       ///< 404: no such model, or no such path.
  timeout,         ///< 408.
  conflict,        ///< 409.
  too_many,        ///< 429: later.
  quota_used_up,   ///< 429 `insufficient_quota`: later is of no use.
  server_fault,    ///< 5xx, or an error within a stream.
  broken,          ///< No connection, or one that ended too soon.
  silent,          ///< One of our time-outs.
  unreadable,      ///< An answer that is none.
  too_large,       ///< An answer above a limit.
  over_budget,
  breaker_open,
  redirected,
  canceled,
};

/// One past the last one; tests run over all of them.
inline constexpr std::uint8_t failure_kind_end = 20;

[[nodiscard]] std::string_view to_string(failure_kind kind) noexcept;

struct model_failure {
  failure_kind kind = failure_kind::unreadable;
  unsigned status = 0;                                    ///< Of HTTP; 0: there was none.
  std::string message;                                    ///< In words, without what is secret.
  std::string member{};                                   ///< Of the request, for refused_member.
  std::string budget{};                                   ///< Its name, for over_budget.
  std::optional<std::chrono::milliseconds> retry_after{}; ///< As the server says.
};

/// Whether another server, or the same one later, may do better.
[[nodiscard]] bool may_pass(failure_kind kind) noexcept;

/// Whether a failure is one of the server, and not of what was asked (net::circuit_breaker).
[[nodiscard]] bool counts_for_breaker(failure_kind kind) noexcept;

using header_view = std::vector<std::pair<std::string, std::string>>;

/// `retry-after-ms`, else `Retry-After` as seconds (also with a fraction) or as a date.
[[nodiscard]] std::optional<std::chrono::milliseconds> read_retry_after(const header_view& headers,
                                                                        timestamp now);

/// An answer that is no 2xx. Its body may be `{"error": {...}}`, `{"error": "text"}`, an array of
/// these, `{"detail": ...}`, text, or a page.
[[nodiscard]] model_failure read_failure(unsigned status, const header_view& headers,
                                         std::string_view body, timestamp now);

/// Whether a value, an event of a stream or a whole answer with 200, is an error.
[[nodiscard]] bool is_error_value(const boost::json::value& from) noexcept;
/// The same as a failure; its code may be an HTTP status.
[[nodiscard]] model_failure read_error_value(const boost::json::value& from);

/// A failure of the connection, by our own client.
[[nodiscard]] model_failure connection_failure(const error& why);

} // namespace troupe::models
