// The checksum of everything that the journal writes: XXH3, 64 bits.
#pragma once

#include <cstdint>
#include <string_view>

namespace troupe::journal {

[[nodiscard]] std::uint64_t checksum(std::string_view bytes, std::uint64_t seed = 0) noexcept;

} // namespace troupe::journal
