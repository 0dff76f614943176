#include "store/journal/checksum.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace troupe::journal {

std::uint64_t checksum(std::string_view bytes, std::uint64_t seed) noexcept {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

} // namespace troupe::journal
