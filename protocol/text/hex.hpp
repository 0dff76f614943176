// Hexadecimal digits, in lower case everywhere.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace troupe {

inline constexpr std::string_view hex_digits = "0123456789abcdef";

/// Whether it is a digit in lower case.
[[nodiscard]] constexpr bool is_hex_digit(char c) noexcept {
  return hex_digits.find(c) != std::string_view::npos;
}

/// Two digits for each byte.
template<class Bytes>
[[nodiscard]] std::string to_hex(const Bytes& bytes) {
  std::string out;
  for (const auto each : bytes) {
    const auto byte = static_cast<unsigned char>(each);
    out += hex_digits[byte >> 4U];
    out += hex_digits[byte & 0xfU];
  }
  return out;
}

/// Appends the last `digits` digits of `number`, with zeros in front.
inline void append_hex(std::string& out, std::uint64_t number, unsigned digits) {
  for (auto shift = 4 * digits; shift > 0; shift -= 4)
    out += hex_digits[(number >> (shift - 4)) & 0xfU];
}

/// The number that `text` is; nothing if it is empty, too large, or has another character. Letters
/// of both cases are read.
[[nodiscard]] inline std::optional<std::uint64_t> from_hex(std::string_view text) noexcept {
  constexpr int base = 16;
  std::uint64_t out = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), end, out, base);
  return failed == std::errc{} && stop == end ? std::optional{out} : std::nullopt;
}

} // namespace troupe
