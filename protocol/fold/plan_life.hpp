// The life of one plan while it runs: when it is blocked, works again, or is over. Derived from its
// view and from what its tasks add up to; the moves are those of plan_state.hpp. Plain values,
// pure.
#pragma once

#include <troupe/protocol/event.hpp>
#include <troupe/protocol/objective.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// What the tasks of a running plan add up to.
struct task_tally {
  std::uint32_t running = 0;     ///< Have begun, or wait for a slot.
  std::uint32_t asking = 0;      ///< Of those: wait for an answer from outside.
  std::uint32_t ready = 0;       ///< Wait for nothing but maxParallel or the end of a pause.
  std::uint32_t waiting = 0;     ///< Depend on a task that has not completed.
  std::uint32_t failed = 0;      ///< Have ended otherwise than completed.
  std::uint32_t parked = 0;      ///< Of the running: nothing of them runs, and they take no room.
  std::uint32_t ready_again = 0; ///< Of the parked: wait for nothing but maxParallel.
  std::uint32_t calling = 0;     ///< Of the running: wait for tasks that they have called.
};

/// How a plan is to end once nothing of it runs.
struct plan_end {
  plan_state to = plan_state::failed;
  std::string reason;
};

/// The moves that follow, in order: none, one, or two where the end leads through
/// `working` or `blocked`. `end`:
/// asked for by a command, or by a failure in a plan that fails fast; then nothing new begins.
/// `failure` is the reason of a plan of which something failed.
[[nodiscard]] std::vector<plan_moved> decide(const plan_view& plan, std::uint32_t index,
                                             const task_tally& tasks,
                                             const std::optional<plan_end>& end,
                                             const std::string& failure);

/// Whether none of its tasks can go on before a question is answered.
[[nodiscard]] bool waits_for_input(const plan_view& plan, const task_tally& tasks);

/// Whether one more task may begin or go on. `running`: those that are not parked.
[[nodiscard]] inline bool has_room(const plan_view& plan, std::uint32_t running) {
  return plan.spec->parallel_max == 0 || running < plan.spec->parallel_max;
}

/// The moves to `to`, through `working` or `blocked` if the table has no other way; none if it has
/// no way at all.
[[nodiscard]] std::vector<plan_moved> moves_to(plan_state from, std::uint32_t index, plan_state to,
                                               const std::string& reason);

} // namespace troupe
