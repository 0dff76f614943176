// Reading generated ids backwards: `<objective>.p<plan>.t<task>.r<generation>` says where it
// belongs (include/troupe/protocol/ids.hpp). Plain functions; the caller checks that what they find
// is really there.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace troupe {

struct numbered {
  std::string_view base;
  std::uint32_t number = 0;
};

/// `text` = `base` + `mark` + a number as to_string writes it (no sign, no leading zero).
[[nodiscard]] std::optional<numbered> split_number(std::string_view text,
                                                   std::string_view mark) noexcept;

} // namespace troupe
