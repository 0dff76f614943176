// JSON pointers (RFC 6901), as the `field` of errors has them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe {

/// Extends `pointer` by a member's name, escaped, or by the position of an element.
void append_pointer(std::string& pointer, std::string_view name);
void append_pointer(std::string& pointer, std::size_t index);

/// Whether it is `place`, or a place below that.
[[nodiscard]] inline bool is_at_or_below(std::string_view pointer, std::string_view place) {
  return pointer.starts_with(place)
         && (pointer.size() == place.size() || pointer[place.size()] == '/');
}

} // namespace troupe
