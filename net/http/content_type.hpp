// What requests say about media types: `Content-Type` and `Accept` (RFC 9110 8.3.1, 12.5.1). Plain
// functions over header values.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <string_view>

namespace troupe::net {

/// `application/json`, with any parameters: what JSON-RPC takes (A2A 1.0 section 9.1, A2A 0.3
/// section 3.2.1).
[[nodiscard]] bool is_json(std::string_view content_type) noexcept;

/// That and every type that ends in `+json`: what REST takes.
[[nodiscard]] bool is_json_like(std::string_view content_type) noexcept;

/// Why a body of that type is not read.
[[nodiscard]] error not_json(std::string_view content_type);

/// Whether a value of `Accept` names the A2A media type itself, not by a pattern (docs/a2a.md, D3).
[[nodiscard]] bool names_a2a_type(std::string_view accept) noexcept;

} // namespace troupe::net
