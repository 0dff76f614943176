#include "protocol/text/text.hpp"

#include <algorithm>

namespace troupe {

std::string ascii_lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return ascii_lower(c); });
  return out;
}

std::size_t utf8_sequence_length(std::string_view text) noexcept {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty())
    return 0;
  const auto lead = at(0);
  if (lead < 0x80)
    return 1;
  if (lead < 0xc2 || lead > 0xf4)
    return 0;
  const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (text.size() < length)
    return 0;
  const unsigned lowest = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned highest = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (at(1) < lowest || at(1) > highest)
    return 0;
  for (std::size_t i = 2; i < length; ++i)
    if (!continues_utf8(text[i]))
      return 0;
  return length;
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size();) {
    const auto length = utf8_sequence_length(text.substr(i));
    if (length == 0)
      return i;
    i += length;
  }
  return std::nullopt;
}

std::size_t cut_utf8(std::string_view text, std::size_t bytes_max) noexcept {
  if (text.size() <= bytes_max)
    return text.size();
  constexpr std::size_t continuing_bytes_max = 3; // Of one character (RFC 3629 section 3).
  for (std::size_t back = 0; back <= std::min(bytes_max, continuing_bytes_max); ++back)
    if (!continues_utf8(text[bytes_max - back]))
      return bytes_max - back;
  return bytes_max;
}

std::string shortened(std::string text, std::size_t bytes_max) {
  constexpr std::string_view mark = "...";
  if (text.size() <= bytes_max)
    return text;
  text.resize(cut_utf8(text, bytes_max > mark.size() ? bytes_max - mark.size() : 0));
  return text.append(mark);
}

std::string listed_names(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& name : names)
    out += (out.empty() ? "" : ", ") + name;
  return out;
}

} // namespace troupe
