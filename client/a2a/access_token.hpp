// A token that is fetched with the client's own credentials (OAuth 2.0, RFC 6749 section 4.4).
// Plain functions.
#pragma once

#include "client/a2a/target.hpp"
#include "client/http_message.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/time_source.hpp>

#include <string>

namespace troupe::a2a {

struct access_token {
  std::string text; ///< Empty: none.
  /// It is fetched again from then on: half a minute before it ends, or a tenth of its time.
  time_source::steady_point until{};
};

/// Of the token's answer.
inline constexpr std::size_t token_bytes_max = std::size_t{16} << 10;

[[nodiscard]] net::outbound_request token_request(const oauth_client& of);
/// Errors: unauthenticated (the server says no), invalid_agent_response (no token that fits a
/// header), unavailable (its status is that of a server that fails).
[[nodiscard]] result<access_token> read_token(const net::outbound_answer& answer,
                                              time_source::steady_point now);

} // namespace troupe::a2a
