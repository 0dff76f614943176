// Text as bytes: well-formed UTF-8, the case of ASCII letters, names in a row.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Only A to Z change; the locale does not matter.
[[nodiscard]] constexpr char ascii_lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
[[nodiscard]] std::string ascii_lower(std::string_view text);

[[nodiscard]] constexpr bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

/// Bytes of the well-formed sequence that `text` begins with (RFC 3629 section 4: no surrogates, no
/// overlong forms, nothing above U+10FFFF); 0 if there is none.
[[nodiscard]] std::size_t utf8_sequence_length(std::string_view text) noexcept;

/// The offset of the first byte that is not valid UTF-8.
[[nodiscard]] std::optional<std::size_t> find_invalid_utf8(std::string_view text) noexcept;
[[nodiscard]] inline bool is_utf8(std::string_view text) noexcept {
  return !find_invalid_utf8(text);
}

/// Whether a character does not begin with this byte of UTF-8.
[[nodiscard]] constexpr bool continues_utf8(char byte) noexcept {
  return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

/// How many of the first bytes of `text` to take, at most `bytes_max`, so that no character is cut
/// in two. `bytes_max` if `text` is not UTF-8 there: a text that is cut again and again comes to
/// its end.
[[nodiscard]] std::size_t cut_utf8(std::string_view text, std::size_t bytes_max) noexcept;

/// `text`, or as much of it as fits `bytes_max` with "..." behind it; no character is cut in two.
[[nodiscard]] std::string shortened(std::string text, std::size_t bytes_max);

/// `a, b, c`.
[[nodiscard]] std::string listed_names(const std::vector<std::string>& names);

} // namespace troupe
