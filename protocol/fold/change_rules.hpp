// Which operations of a change a task takes, by how far it has come: one table and one function.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/objective.hpp>

#include <cstddef>
#include <cstdint>

namespace troupe {

/// What runs of a task in this process.
enum class task_run : std::uint8_t {
  none,
  queued,      ///< It has an actor, which waits for its first slot.
  running,     ///< It has an actor, which works or asks.
  backing_off, ///< It has an actor, which waits for the next attempt.
};

/// How far a task has come.
enum class task_stage : std::uint8_t {
  not_begun,
  queued, ///< It waits for a slot, and has no A2A task yet.
  backing_off,
  working,
  asking,
  completed,
  lost, ///< Failed, canceled or rejected for good.
  skipped,
};

inline constexpr std::size_t task_stage_count = 8;

[[nodiscard]] task_stage stage_of(const task_summary& summary, task_run run) noexcept;

/// What an operation is about.
enum class change_kind : std::uint8_t {
  remove,
  edit, ///< Its name, deadline or priority.
  replace,
  skip,
  complete,
  retry,
  depend,     ///< It is to depend on another task.
  depends_on, ///< Another task is to depend on it.
  free,       ///< It is to depend on a task no longer.
};

inline constexpr std::size_t change_kind_count = 9;

enum class change_effect : std::uint8_t {
  refuse,
  nothing,
  edit,         ///< The plan is another one; the task stays where it is.
  end,          ///< The task ends now; nothing of it runs.
  stop,         ///< What runs of it is told to stop.
  stop_if_told, ///< The same, if the operation says that it may.
  renew,        ///< A new task stands in its place.
  hurry,        ///< Its next attempt begins.
};

struct change_rule {
  change_effect effect;
  errc refusal = errc::none; ///< Why, if the effect is `refuse`.
};

[[nodiscard]] change_rule rule_of(change_kind kind, task_stage stage) noexcept;

} // namespace troupe
