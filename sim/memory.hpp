// How much memory the program holds: a world that has ended has given all of it back.
#pragma once

#include <cstddef>
#include <optional>

namespace troupe::sim {

/// Bytes that were allocated and not freed; nothing if the allocator does not say.
[[nodiscard]] std::optional<std::size_t> bytes_in_use();

} // namespace troupe::sim
