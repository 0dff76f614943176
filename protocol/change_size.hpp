// How much a change holds, for whatever keeps changes within a bound.
#pragma once

#include <troupe/protocol/event.hpp>

#include <cstddef>

namespace troupe {

/// Roughly the bytes a change holds in memory and will need on the wire; never 0.
[[nodiscard]] std::size_t bytes_of(const change& of) noexcept;

/// Whether a change tells nothing but progress.
[[nodiscard]] bool is_only_progress(const change& of) noexcept;

} // namespace troupe
