// The header `Idempotency-Key` of a send (draft-ietf-httpapi-idempotency-key-header).
#pragma once

#include <troupe/protocol/errc.hpp>

#include <string>
#include <string_view>

namespace troupe::net {

/// The key in the header's value: a string of RFC 8941 section 3.3.3 in quotes, as the draft has
/// it, or the key alone, as many clients send it. Empty if `header` is. errc::invalid_params for
/// anything else, and for a key of more than idempotency_key_bytes_max.
[[nodiscard]] result<std::string> read_idempotency_key(std::string_view header);

} // namespace troupe::net
