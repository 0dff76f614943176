// Whether bytes are text. What a process writes may be anything; JSON and A2A text are UTF-8 only.
#pragma once

#include <string>
#include <string_view>

namespace troupe {

/// Well-formed UTF-8 (RFC 3629: no surrogates, no overlong forms, nothing above U+10FFFF).
[[nodiscard]] bool is_utf8(std::string_view bytes) noexcept;

/// `bytes` with every byte that is no part of well-formed UTF-8, and every control character but tab and newline, replaced by
/// U+FFFD: fit for a message.
[[nodiscard]] std::string printable_utf8(std::string_view bytes);

} // namespace troupe
