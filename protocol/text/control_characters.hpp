// Control characters (ASCII 0 to 31, and 127): names have none, because terminals and logs show
// them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace troupe {

[[nodiscard]] constexpr bool is_control(char each) noexcept {
  return static_cast<unsigned char>(each) < 0x20 || each == 0x7f;
}

[[nodiscard]] constexpr bool has_control(std::string_view text) noexcept {
  return std::ranges::any_of(text, is_control);
}

/// Each becomes a blank.
[[nodiscard]] inline std::string without_controls(std::string_view text) {
  std::string out(text);
  std::ranges::replace_if(out, is_control, ' ');
  return out;
}

} // namespace troupe
