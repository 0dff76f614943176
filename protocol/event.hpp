// What happened, as facts in the past tense, and the unit in which facts become durable and visible: a `change`.
// Actors make them, the journal writes them, the ledger applies them, watchers see them. Nothing else changes a record.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <boost/json/object.hpp>

#include "protocol/ids.hpp"
#include "protocol/message.hpp"
#include "protocol/objective.hpp"
#include "protocol/plan_state.hpp"
#include "protocol/progress.hpp"
#include "protocol/spec.hpp"
#include "protocol/task.hpp"
#include "protocol/task_state.hpp"
#include "protocol/time.hpp"

namespace troupe {

// -- facts about an objective (change.task empty) --------------------------------------------------------------------

struct objective_created {
  objective_spec_ptr spec; ///< With the plans it was created with.
  task_id root_task;       ///< May be empty.
  std::string owner{};     ///< Whose it is (owner_of).
};

/// Fields of an objective were edited (`objectives/update`); empty strings leave a field as it is.
struct objective_edited {
  std::string name;
  std::string description;
};

struct objective_moved {
  objective_state to;
  std::string reason;
};

struct plan_added {
  plan_spec_ptr spec; ///< Its index is the number of plans before it.
  bool start = false; ///< It was added to begin as soon as what it depends on allows.
};

struct plan_moved {
  std::uint32_t plan;
  plan_state to;
  std::string reason;
  bool requested = false; ///< Skipped because somebody asked for it.
};

/// Tasks of a plan that end without having begun (their plan failed, was canceled, or what they depend on failed).
struct tasks_withdrawn {
  std::uint32_t plan;
  std::vector<std::uint32_t> tasks;
  task_state to; ///< canceled
  std::string reason;
  boost::json::object metadata{}; ///< Of the request that took them, if there was one.
};

/// Tasks of a plan that are pending again, each as a new A2A task (`generation` grows).
struct tasks_renewed {
  std::uint32_t plan;
  std::vector<std::uint32_t> tasks;
};

/// Somebody asked that nothing new is begun, or that it goes on: in the whole objective, or in one plan of it.
struct pause_changed {
  bool paused = false;
  std::optional<std::uint32_t> plan{};
};

/// Somebody asked for the objective's end: it becomes `to` once nothing of it runs any more.
struct objective_closing {
  objective_state to; ///< canceled or failed
  std::string reason;
};

// -- facts about one task (change.task set) --------------------------------------------------------------------------

/// The A2A task begins to exist, as SUBMITTED. `record` is complete (a lone task brings its message as history).
struct task_created {
  std::shared_ptr<task> record; ///< Handed over: the sender keeps no copy.
};

struct task_moved {
  task_state to;
  std::uint32_t attempt;
  message_ptr message; ///< The status message; may be null.
  std::uint32_t failures = 0; ///< Attempts that have failed so far. One more than before: this says so, and the next one waits its backoff.
};

/// A message joined the task's history.
struct task_message {
  message_ptr what;
};

struct task_artifact {
  artifact_ptr what;
  bool append = false;     ///< Adds the parts to the artifact with that id; else replaces or creates it.
  bool last_chunk = false;
};

struct task_progress {
  progress_ptr what;
};

using event = std::variant<objective_created, objective_edited, objective_moved, plan_added, plan_moved, tasks_withdrawn,
                           tasks_renewed, pause_changed, objective_closing, task_created, task_moved, task_message, task_artifact, task_progress>;

/// Where a task's facts belong.
struct task_address {
  task_id id;
  bool lone = true;             ///< Not part of a plan.
  std::uint32_t plan_index = 0; ///< If not lone.
  std::uint32_t task_index = 0; ///< If not lone.
};

/// Facts that become durable together and visible together, in this order. All concern one objective (`task` empty: the
/// objective and its plans; set: one of its tasks), or one lone task.
struct change {
  std::string context; ///< Objective id, or the lone task's contextId.
  task_address task;   ///< `task.id` empty: facts about the objective.
  timestamp at{};
  std::uint64_t sequence = 0; ///< Counts within the stream (objective or lone task) from 1; given by the ledger.
  std::vector<event> events;

  /// The journal's name for the sequence this belongs to: the objective's id or the lone task's.
  [[nodiscard]] const std::string& stream() const { return !task.id.empty() && task.lone ? task.id.str() : context; }
};

using change_ptr = std::shared_ptr<const change>;

} // namespace troupe
