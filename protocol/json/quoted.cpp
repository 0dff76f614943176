#include "protocol/json/quoted.hpp"

#include "protocol/json/json_writer.hpp"

namespace troupe {

std::string quoted(std::string_view text, std::size_t bytes_max) {
  auto end = text.size() > bytes_max ? bytes_max : text.size();
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U)
    --end; // within a character
  std::string out;
  json_writer(out).string(text.substr(0, end));
  if (end < text.size())
    out.insert(out.size() - 1, "...");
  return out;
}

} // namespace troupe
