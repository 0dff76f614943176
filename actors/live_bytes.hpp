// What the plans of an objective count for in limits.live-bytes: themselves, and the indexes that
// are made of them when they are changed or joined by another plan (actors/objective_index.hpp,
// protocol/fold/plan_shape.hpp). The indexes count from the beginning: a change is then not refused
// for their sake.
#pragma once

#include <troupe/protocol/plan_change.hpp>
#include <troupe/protocol/spec.hpp>

#include <cstddef>
#include <vector>

namespace troupe {

[[nodiscard]] std::size_t live_bytes_of(const task_spec& spec) noexcept;
[[nodiscard]] std::size_t live_bytes_of(const plan_spec& spec) noexcept;
[[nodiscard]] std::size_t live_bytes_of(const objective_spec& spec) noexcept;
/// Of a change that is asked for, before it is known what it becomes.
[[nodiscard]] std::size_t live_bytes_of(const std::vector<wanted_operation>& operations) noexcept;

} // namespace troupe
