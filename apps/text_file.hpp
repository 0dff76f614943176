// Reads a file that a person names: a plan, a configuration, a card, a key.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe {

/// Of a configuration, a card or a key. None is longer; a device that never ends is
/// refused there.
inline constexpr std::size_t text_file_bytes_max = std::size_t{16} << 20;

/// The whole of `path`; `-` is standard input. Errors: unavailable (and why it cannot be read),
/// limit_exceeded; the message begins with the file's name.
[[nodiscard]] result<std::string> read_text(const std::string& path,
                                            std::size_t bytes_max = text_file_bytes_max);

/// Replaces or makes `path`; `-` is standard output. Errors: unavailable.
[[nodiscard]] result<void> write_text(const std::string& path, std::string_view text);

/// What messages call the file that is read from `path`.
[[nodiscard]] std::string name_of_file(const std::string& path);

} // namespace troupe
