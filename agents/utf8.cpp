#include "agents/utf8.hpp"

#include "protocol/text/text.hpp"

namespace troupe {

std::string printable_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const auto length = utf8_sequence_length(bytes);
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
