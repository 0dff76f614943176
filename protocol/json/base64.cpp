#include "protocol/json/base64.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace troupe {

namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t foreign = 0xff;

constexpr std::array<std::uint8_t, 256> make_values() {
  std::array<std::uint8_t, 256> table{};
  for (auto& value : table)
    value = foreign;
  for (std::size_t i = 0; i < alphabet.size(); ++i)
    table[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
  table['-'] = table['+'];
  table['_'] = table['/'];
  return table;
}

constexpr auto values = make_values();

constexpr std::uint32_t bits_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

} // namespace

void append_base64(std::string& out, std::string_view bytes) {
  const auto start = out.size();
  out.resize(start + (bytes.size() + 2) / 3 * 4);
  auto* to = out.data() + start;
  const auto put = [&to](std::uint32_t group, int count) {
    for (int i = 0; i < count; ++i)
      *to++ = alphabet[(group >> (18 - 6 * i)) & 0x3f];
  };
  std::size_t at = 0;
  for (; at + 3 <= bytes.size(); at += 3)
    put((bits_at(bytes, at) << 16) | (bits_at(bytes, at + 1) << 8) | bits_at(bytes, at + 2), 4);
  if (const auto rest = bytes.size() - at; rest == 1) {
    put(bits_at(bytes, at) << 16, 2);
    *to++ = '=';
    *to++ = '=';
  } else if (rest == 2) {
    put((bits_at(bytes, at) << 16) | (bits_at(bytes, at + 1) << 8), 3);
    *to++ = '=';
  }
}

std::string to_base64(std::string_view bytes) {
  std::string out;
  append_base64(out, bytes);
  return out;
}

std::string to_base64url(std::string_view bytes) {
  auto out = to_base64(bytes);
  out.erase(std::min(out.find('='), out.size()));
  std::replace(out.begin(), out.end(), '+', '-');
  std::replace(out.begin(), out.end(), '/', '_');
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (!text.empty() && text.back() == '=') {
    if (text.size() % 4 != 0)
      return std::nullopt;
    text.remove_suffix(text[text.size() - 2] == '=' ? 2 : 1);
  }
  if (text.size() % 4 == 1)
    return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const auto value = values[static_cast<unsigned char>(c)];
    if (value == foreign)
      return std::nullopt;
    bits = (bits << 6) | value;
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes.push_back(static_cast<char>((bits >> count) & 0xff));
    }
  }
  return bytes;
}

} // namespace troupe
