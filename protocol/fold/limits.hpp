// The fold's named limits: what a folded view keeps at most, and what happens at the limit.
#pragma once

#include <cstddef>
#include <cstdint>

namespace troupe {

/// Messages a task's record keeps; at the limit the oldest go. Bounds a record that is read and
/// written whole.
inline constexpr std::size_t history_messages_max = 1000;

/// The same limit in bytes (bytes_of). The newest message always stays.
inline constexpr std::size_t history_bytes_max = std::size_t{64} << 20;

/// Tasks and dependencies that one change of a plan may look at while it searches for cycles, a
/// search for each dependency that it adds. Further ones are checked together, by one look at the
/// whole plan: many searches would hold a thread of all actors for seconds.
inline constexpr std::size_t cycle_searches_looks_max = 200'000;

/// Bytes of the metadata of an objective or plan. An update that makes the metadata larger than
/// before and exceeds this limit is refused: errc::limit_exceeded.
inline constexpr std::size_t edited_metadata_bytes_max = 1 << 20;

/// Bytes of the metadata of a cancel. They are kept with the task that it ends, in memory as long
/// as the objective lives. Above: errc::limit_exceeded.
inline constexpr std::size_t cancel_metadata_bytes_max = 64 << 10;

} // namespace troupe
