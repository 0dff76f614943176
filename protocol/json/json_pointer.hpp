// JSON pointers (RFC 6901), as the `field` of errors has them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe {

/// Extends `pointer` by a member's name, escaped, or by the position of an element.
void append_pointer(std::string& pointer, std::string_view name);
void append_pointer(std::string& pointer, std::size_t index);

} // namespace troupe
