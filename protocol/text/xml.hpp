// Text in XML, for the SVG files that programs draw.
#pragma once

#include <string>
#include <string_view>

namespace troupe {

/// `text` as content of an element or of an attribute in double quotes (XML 1.0 section 2.4).
[[nodiscard]] inline std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

} // namespace troupe
