#include "protocol/message.hpp"

namespace troupe {

std::string text_of(const std::vector<part>& parts) {
  std::string out;
  for (const auto& piece : parts)
    if (const auto* text = std::get_if<text_content>(&piece.content)) {
      if (!out.empty())
        out.push_back('\n');
      out += text->text;
    }
  return out;
}

} // namespace troupe
