// The present state of an objective: its plans, and of each task the state, attempts and id. The
// full task records are separate. `objectives/get` shows an `objective_view`, recovery starts from
// it, and the objective actor has one. Only events change it (protocol/fold/apply.hpp).
#pragma once

#include <troupe/protocol/chunked.hpp>
#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/model_usage.hpp>
#include <troupe/protocol/plan_state.hpp>
#include <troupe/protocol/rollup.hpp>
#include <troupe/protocol/spec.hpp>
#include <troupe/protocol/task.hpp>
#include <troupe/protocol/task_state.hpp>
#include <troupe/protocol/time.hpp>
#include <troupe/protocol/trace.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// Why a task that has begun does not run, beside its state.
enum class task_wait : std::uint8_t {
  none,
  backoff, ///< Its next attempt waits after a failed one.
  slot,    ///< It waits for a slot again.
};

/// What an objective has of each of its tasks: 12 bytes.
struct task_summary {
  task_state state = task_state::unspecified; ///< unspecified = `pending`: no A2A task yet.
  bool has_artifacts : 1 = false;
  /// It is not needed, by request: what depends on it goes on without it. Its A2A task is canceled,
  /// or will be; one that completed before that is completed.
  bool is_skipped : 1 = false;
  task_wait wait : 2 = task_wait::none;
  /// Of task_moved::failures, to see that a move reports one more.
  std::uint8_t failures_modulo_16 : 4 = 0;
  /// At most attempt_shown_max; the task's own record has the number.
  std::uint16_t attempt = 0;
  /// Grows when a retry of the plan makes a new task for a failed one.
  std::uint32_t generation = 0;
  /// When `state` last changed, since plan_view::created; at most the largest value.
  std::uint32_t changed_ms = 0;
};
static_assert(sizeof(task_summary) == 12);

inline constexpr std::uint16_t attempt_shown_max = 0xffff;

/// Whether what depends on the task may begin.
[[nodiscard]] constexpr bool is_satisfied(const task_summary& summary) noexcept {
  return summary.state == task_state::completed
         || (summary.is_skipped && is_terminal(summary.state));
}

/// Whether what depends on the task will never begin.
[[nodiscard]] constexpr bool is_lost(const task_summary& summary) noexcept {
  return is_terminal(summary.state) && !is_satisfied(summary);
}

/// A question that waits for a person (OPT "Human-in-the-loop"; shown as `pendingInputs`).
struct pending_input {
  task_id task;
  std::string prompt;
  timestamp since{};
  std::uint32_t plan = 0; ///< Where the task stands; not known of what was recorded before.
  std::uint32_t index = 0;
  std::string question; ///< Its id; not known of what was recorded before.
  bool is_auth = false; ///< The task is AUTH_REQUIRED.
};

struct plan_view {
  plan_spec_ptr spec;
  plan_state state = plan_state::pending;
  std::string reason; ///< Why it is as it is, in words; may be empty.
  timestamp created{};
  timestamp updated{};
  std::uint64_t revision = 0; ///< Of the objective, after the last change of this plan's structure.
  timestamp began{};          ///< When it last left `pending` to work; epoch if it never did.
  chunked<task_summary> tasks; ///< One per task of `spec`, in its order; none while they are lent.
  bool paused = false; ///< Begins no tasks until the pause ends. False after it has settled.
  /// It begins by itself, also if plans are started one by one. False after it has begun, or after
  /// the objective has settled.
  bool start_requested = false;
  /// It was skipped by request, or will be once it has ended: a retry of other plans does not undo
  /// it.
  bool skip_requested = false;
  /// The actor of the plan has the summaries of its tasks (objective_life::lend).
  bool is_lent = false;
  plan_rollup rollup{}; ///< How far it is.

  /// The id of the task that stands for `index` now.
  [[nodiscard]] task_id task_at(std::size_t index) const;
};

struct objective_view {
  objective_id id;
  std::string owner; ///< The owner of it and of all its tasks (owner_of).
  std::string name;
  std::string description;
  std::uint32_t parallel_max = 0;
  boost::json::object metadata;
  objective_state state = objective_state::submitted;
  std::string reason;
  /// Its plans are started one by one, also while it is blocked. False after it has settled.
  bool planning = false;
  std::uint64_t revision = 0; ///< Grows with every change of structure.
  timestamp created{};
  timestamp updated{};
  /// The A2A task that stands for the objective; empty if `objectives/create` made it.
  task_id root_task;
  chunked<plan_view> plans; ///< A copy of the view shares those that do not change.
  std::vector<pending_input> pending_inputs;
  bool paused = false; ///< Starts no plans by itself. False after it has settled.
  /// Set while it is paused until the planner has answered (pause_changed::for_planner): the plans
  /// that stay paused after that, by their positions.
  std::optional<std::vector<std::uint32_t>> planner_pause{};
  /// The requested end that has not come yet; for `closing_reason`.
  std::optional<objective_state> closing{};
  std::string closing_reason;
  std::uint64_t made_bytes = 0; ///< What its tasks have made so far (limits.objective-bytes).
  model_usage usage{};          ///< By its tasks, and by who has planned it.
  trace_ptr trace;              ///< Of the request that made it.
  message_ptr references{};     ///< As in objective_spec: what they name reaches its tasks.
  objective_rollup rollup{};    ///< How far it is.
  std::optional<timestamp> deadline{}; ///< As in objective_spec; none is left after a retry.
  milliseconds deadline_after{0};      ///< As in objective_spec.
  std::int32_t priority = 0;           ///< As in objective_spec.
};

using objective_ptr = std::shared_ptr<const objective_view>;

/// "pending" for a task that has not begun, "skipped", else the task state's spelling.
[[nodiscard]] std::string_view summary_state(const task_summary& summary) noexcept;

} // namespace troupe
