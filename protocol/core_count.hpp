// How many things this machine can do at once. The only place that asks.
#pragma once

#include <cstdint>

namespace troupe {

/// Cores of this machine; at least 1.
[[nodiscard]] std::uint32_t core_count() noexcept;

} // namespace troupe
