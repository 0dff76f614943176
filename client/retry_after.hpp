// What a server says about when it may be asked again. A plain function.
#pragma once

#include <troupe/protocol/time.hpp>

#include <chrono>
#include <optional>
#include <string_view>

namespace troupe::net {

/// The value of a `Retry-After` header (RFC 9110 section 10.2.3): seconds, also with a fraction,
/// which some servers send, or a date, zero if it is over. Nothing if it is neither. Longer waits
/// than 10,000,000 s are so long.
[[nodiscard]] std::optional<std::chrono::milliseconds> read_retry_after(std::string_view text,
                                                                        timestamp now);

/// Milliseconds, as the header `retry-after-ms` has them; the same bounds.
[[nodiscard]] std::optional<std::chrono::milliseconds> read_retry_after_ms(std::string_view text);

} // namespace troupe::net
