// How messages show a text that a client or a document wrote.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe {

/// `text` as a JSON string, so that neither a quote nor a control character in it can be taken for
/// the message. What is longer than `bytes_max` bytes is cut before a character and ends in `..."`.
[[nodiscard]] std::string quoted(std::string_view text,
                                 std::size_t bytes_max = std::string_view::npos);

} // namespace troupe
