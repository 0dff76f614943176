// The hash of ids and names in tables: XXH3, which is several times as fast as the
// standard library's for texts of 20 to 60 bytes.
#pragma once

#include <cstddef>
#include <string_view>

namespace troupe {

struct text_hash {
  using is_transparent = void;
  using is_avalanching = void; ///< All bits are mixed (Boost.Unordered need not do it again).
  std::size_t operator()(std::string_view text) const noexcept;
};

} // namespace troupe
