#include "store/text_hash.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace troupe {

std::size_t text_hash::operator()(std::string_view text) const noexcept {
  return XXH3_64bits(text.data(), text.size());
}

} // namespace troupe
