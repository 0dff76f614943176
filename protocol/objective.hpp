// An objective as it stands: its plans, and of each task the state, attempts and id. The full task records live beside it.
// `objective_view` is what `objectives/get` shows, what recovery starts from, and what the objective actor is built of.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/ids.hpp"
#include "protocol/plan_state.hpp"
#include "protocol/spec.hpp"
#include "protocol/task.hpp"
#include "protocol/time.hpp"

namespace troupe {

/// What an objective remembers of each of its tasks: 12 bytes.
struct task_slot {
  task_state state = task_state::unspecified; ///< unspecified = `pending`: no A2A task yet.
  bool has_artifacts = false;
  std::uint32_t generation = 0; ///< Grows when a retry of the plan makes a new task for what failed.
  std::uint32_t attempt = 0;
};

/// A question that waits for a person (OPT "Human-in-the-loop"; shown as `pendingInputs`).
struct pending_input {
  task_id task;
  std::string prompt;
  timestamp since{};
};

struct plan_view {
  plan_spec_ptr spec;
  plan_state state = plan_state::pending;
  std::string reason; ///< Why it is as it is, in words; may be empty.
  timestamp created{};
  timestamp updated{};
  std::vector<task_slot> tasks; ///< One per task of `spec`, in its order.
  bool paused = false; ///< Begins no tasks until somebody says so. Not once it has settled.
  bool start_requested = false; ///< To begin by itself, also where plans are started one by one. Not once it has, or the objective has settled.
  bool skip_requested = false; ///< It is skipped because somebody asked for it: trying others again leaves it so.

  /// The id of the task that stands for `index` now.
  [[nodiscard]] task_id task_at(std::size_t index) const;
};

struct objective_view {
  objective_id id;
  std::string owner; ///< Whose it is, with all its tasks (owner_of).
  std::string name;
  std::string description;
  std::uint32_t parallel_max = 0;
  boost::json::object metadata;
  objective_state state = objective_state::submitted;
  std::string reason;
  bool planning = false; ///< Its plans are started one by one, also while it is blocked. Not once it has settled.
  std::uint64_t revision = 0; ///< Grows with every change of structure.
  timestamp created{};
  timestamp updated{};
  task_id root_task; ///< The A2A task that stands for the whole; empty if it was made by `objectives/create`.
  std::vector<plan_view> plans;
  std::vector<pending_input> pending_inputs;
  bool paused = false; ///< Starts no plans by itself. Not once it has settled.
  std::optional<objective_state> closing{}; ///< Somebody asked for this end, and it has not come yet; for `closing_reason`.
  std::string closing_reason;
};

/// Pauses (or lets go on) one plan, or the objective with all its plans that have not settled.
void set_pause(objective_view& view, bool paused, std::optional<std::uint32_t> plan = std::nullopt);

/// The objective is in that state now; with its end, what was asked of it before is over.
void set_state(objective_view& view, objective_state to);

using objective_ptr = std::shared_ptr<const objective_view>;

/// "pending" for a task that has not begun, else the task state's spelling.
[[nodiscard]] std::string_view summary_state(const task_slot& slot) noexcept;

} // namespace troupe
