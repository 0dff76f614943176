// Numbers of things in sentences.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

/// `1 task`, `2 tasks`. `many`: the plural, if it is not `one` and an `s`.
[[nodiscard]] inline std::string counted(std::uint64_t number, std::string_view one,
                                         std::string_view many = {}) {
  auto text = std::to_string(number) + ' ';
  if (number == 1)
    return text.append(one);
  return many.empty() ? text.append(one).append("s") : text.append(many);
}

} // namespace troupe
