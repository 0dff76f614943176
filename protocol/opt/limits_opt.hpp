// Named limits of plan documents and of the extension's methods. What goes over one is refused with
// errc::limit_exceeded and the limit's name in the message; nothing is cut off silently.
#pragma once

#include <troupe/protocol/ids.hpp>

#include <cstddef>
#include <cstdint>

namespace troupe::opt {

inline constexpr std::size_t name_bytes_max = 1024; ///< A name, an agent's name, one dependency.
inline constexpr std::size_t description_bytes_max = 64 * 1024; ///< Shown whole in every answer.
inline constexpr std::size_t plans_per_objective_max =
    10'000; ///< Deciding what starts next looks at all plans.
inline constexpr std::size_t tasks_per_plan_max =
    1'000'000; ///< Of one plan; about 2 GB once they live.
inline constexpr std::size_t dependencies_per_task_max = 100'000;
inline constexpr std::size_t dependencies_total_max = 4'000'000; ///< All edges of one document.
inline constexpr std::uint32_t attempts_limit = 1000;            ///< `retry.maxAttempts`.
inline constexpr double seconds_max = 315'360'000;          ///< Ten years: any timeout or backoff.
inline constexpr std::size_t completed_artifacts_max = 100; ///< Of one `completeTask`.
/// Open questions that a document of an objective or plan shows: the oldest. `inputs/list` has all.
inline constexpr std::size_t inputs_shown_max = 20;
inline constexpr std::size_t document_depth_max = 100; ///< JSON nesting.

static_assert(id_bytes_max <= name_bytes_max, "an id must fit where a dependency names it");
static_assert(dependencies_per_task_max <= dependencies_total_max);
static_assert(dependencies_per_task_max <= tasks_per_plan_max);

} // namespace troupe::opt
