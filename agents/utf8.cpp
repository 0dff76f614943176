#include "agents/utf8.hpp"

#include <cstddef>

namespace troupe {

namespace {

// The length of the well-formed sequence at the beginning of `bytes` (RFC 3629 section 4), 0 if there is none.
std::size_t sequence_length(std::string_view bytes) noexcept {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const auto lead = at(0);
  if (lead < 0x80)
    return 1;
  if (lead < 0xc2 || lead > 0xf4)
    return 0;
  const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (bytes.size() < length)
    return 0;
  const unsigned lowest = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned highest = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (at(1) < lowest || at(1) > highest)
    return 0;
  for (std::size_t i = 2; i < length; ++i)
    if ((at(i) & 0xc0) != 0x80)
      return 0;
  return length;
}

} // namespace

bool is_utf8(std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const auto length = sequence_length(bytes);
    if (length == 0)
      return false;
    bytes.remove_prefix(length);
  }
  return true;
}

std::string printable_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const auto length = sequence_length(bytes);
    const auto c = static_cast<unsigned char>(bytes.front());
    const bool control = (c < 0x20 && c != '\t' && c != '\n') || c == 0x7f;
    if (length == 0 || control)
      out += "\xef\xbf\xbd";
    else
      out += bytes.substr(0, length);
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

} // namespace troupe
