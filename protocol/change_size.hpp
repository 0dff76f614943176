// How much a change holds, for whatever keeps changes within a bound.
#pragma once

#include <troupe/protocol/event.hpp>
#include <troupe/protocol/objective.hpp>

#include <cstddef>

namespace troupe {

/// Roughly the bytes a change holds in memory and will need on the wire; never 0.
[[nodiscard]] std::size_t bytes_of(const change& of) noexcept;

/// What an event adds to what agents have made: artifacts, messages, texts of statuses, questions.
/// 0 for all else. What replaces something counts as well.
[[nodiscard]] std::size_t made_bytes_of(const event& fact) noexcept;
/// The same of what a record shows.
[[nodiscard]] std::size_t made_bytes_of(const task& record) noexcept;
/// About the size of a record in memory, without its specification.
[[nodiscard]] std::size_t bytes_of(const task& record) noexcept;
/// About the size of an objective in memory, with its plans, without the records of its tasks.
[[nodiscard]] std::size_t bytes_of(const objective_view& view) noexcept;

/// Whether a change tells nothing but progress.
[[nodiscard]] bool is_only_progress(const change& of) noexcept;

} // namespace troupe
