// The header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header) of the operations that
// honour it: sends, cancels, and configurations for notifications (docs/a2a.md).
#pragma once

#include <troupe/protocol/errc.hpp>

#include <string>
#include <string_view>

namespace troupe::net {

/// The key in the header's value: a string of RFC 8941 section 3.3.3 in quotes, as the draft has
/// it, or the key alone, as many clients send it. Empty if `header` is. errc::invalid_params for
/// anything else, and for a key of more than idempotency_key_bytes_max.
[[nodiscard]] result<std::string> read_idempotency_key(std::string_view header);

/// The key came with another request: errc::idempotency_key_reused. `why` says with which.
[[nodiscard]] error key_is_reused(const std::string& why);

} // namespace troupe::net
