// The size of one task of a plan, for those who account for changes of a plan.
#pragma once

#include <troupe/protocol/spec.hpp>

#include <cstddef>

namespace troupe {

/// About its size in memory, in bytes: its share of bytes_of(plan_spec).
[[nodiscard]] std::size_t bytes_of(const task_spec& spec) noexcept;

} // namespace troupe
