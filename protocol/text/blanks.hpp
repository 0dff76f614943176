// Texts without the blanks around them.
#pragma once

#include <string_view>

namespace troupe {

/// `text` without the characters of `blanks` at its beginning and end: spaces, tabs and the ends of
/// lines, unless the caller names others.
[[nodiscard]] constexpr std::string_view
without_blanks(std::string_view text, std::string_view blanks = " \t\r\n") noexcept {
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// `text` without spaces, tabs and ends of lines at its end: of a file or a variable with a secret,
/// which may begin with a blank.
[[nodiscard]] constexpr std::string_view without_blank_end(std::string_view text) noexcept {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

} // namespace troupe
