// Numbers of things in sentences.
#pragma once

#include <cstdint>
#include <string>

namespace troupe::sim {

/// "1 seed", "2 seeds". `many`: the plural, if it is not `one` and an s.
[[nodiscard]] inline std::string amount(std::uint64_t number, const std::string& one,
                                        const std::string& many = {}) {
  return std::to_string(number) + ' ' + (number == 1 ? one : many.empty() ? one + "s" : many);
}

} // namespace troupe::sim
