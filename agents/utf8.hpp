// What a process writes may be anything; JSON and A2A text are UTF-8 only (protocol/text/text.hpp).
#pragma once

#include <string>
#include <string_view>

namespace troupe {

/// `bytes` with every byte that is no part of well-formed UTF-8, and every control character but
/// tab and newline, replaced by U+FFFD: fit for a message.
[[nodiscard]] std::string printable_utf8(std::string_view bytes);

} // namespace troupe
