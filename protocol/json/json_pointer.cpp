#include "protocol/json/json_pointer.hpp"

namespace troupe {

void append_pointer(std::string& pointer, std::string_view name) {
  pointer += '/';
  for (const char c : name) {
    if (c == '~')
      pointer += "~0";
    else if (c == '/')
      pointer += "~1";
    else
      pointer += c;
  }
}

void append_pointer(std::string& pointer, std::size_t index) {
  pointer += '/';
  pointer += std::to_string(index);
}

} // namespace troupe
