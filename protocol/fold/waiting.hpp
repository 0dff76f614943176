// Why a plan's task does not begin or go on, and since when it could: derived from the view of its
// objective, never kept. The times of each wait are in the task's own record.
#pragma once

#include <troupe/protocol/objective.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace troupe {

/// The first of these that holds it back, in this order.
enum class waiting_reason : std::uint8_t {
  start,        ///< The objective was not started, or its plan where plans are started one by one.
  pause,        ///< The objective or its plan is paused.
  plan,         ///< Its plan comes after others.
  dependencies, ///< Tasks that it depends on have not completed.
  slot,         ///< Nothing but a slot: of its plan, its objective or its agent.
  backoff,      ///< The time before its next attempt. It has begun.
  question,     ///< Its question has to be answered. It has begun.
};

/// As it is shown: `dependencies`.
[[nodiscard]] std::string_view to_string(waiting_reason reason) noexcept;

/// What the task waits for. Nothing if it runs, has ended, or will never begin. Linear in its
/// dependencies.
[[nodiscard]] std::optional<waiting_reason> waiting_for(const objective_view& view,
                                                        std::uint32_t plan, std::uint32_t task);

/// When all that it depends on had completed and its plan had begun; nothing while that is not so,
/// or if it is not known any more.
[[nodiscard]] std::optional<timestamp> ready_at(const objective_view& view, std::uint32_t plan,
                                                std::uint32_t task);

/// When the state of the task last changed. Nothing if that is not known any more, or there is no
/// such task.
[[nodiscard]] std::optional<timestamp> changed_at(const objective_view& view, std::uint32_t plan,
                                                  std::uint32_t task);

} // namespace troupe
