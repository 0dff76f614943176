// What an objective counts for in limits.live-bytes: itself, its plans, what each of its tasks
// takes besides once it has begun (live_task_bytes), and the indexes that are made of them when
// they are changed or joined by another plan (actors/graph/objective_index.hpp,
// protocol/fold/plan_shape.hpp). All of it counts from the beginning: what was accepted is then not
// refused for its sake.
#pragma once

#include <troupe/protocol/edits.hpp>
#include <troupe/protocol/message.hpp>
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
/// What an update adds at most; what it removes counts nothing.
[[nodiscard]] std::size_t live_bytes_of(const edits& wanted) noexcept;

/// What updates can edit of an objective or a plan.
template<class Edited>
[[nodiscard]] std::size_t editable_bytes_of(const Edited& of) noexcept {
  return of.name.size() + of.description.size() + bytes_of(of.metadata);
}

/// Of an objective itself, without its plans.
template<class Objective>
[[nodiscard]] std::size_t own_bytes_of(const Objective& of) noexcept {
  return editable_bytes_of(of) + (of.references ? bytes_of(*of.references) : 0);
}

} // namespace troupe
