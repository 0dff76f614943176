// A task as the world sees it (A2A `Task`). The record is a value; a published one is shared and immutable (`task_ptr`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "protocol/ids.hpp"
#include "protocol/message.hpp"
#include "protocol/progress.hpp"
#include "protocol/spec.hpp"
#include "protocol/task_state.hpp"
#include "protocol/time.hpp"

namespace troupe {

/// A2A `TaskStatus`.
struct task_status {
  task_state state = task_state::submitted;
  message_ptr message; ///< May be null.
  timestamp at{};
};

/// Where a plan's task comes from. Null plan: a lone task, born of a message.
struct task_origin {
  plan_spec_ptr plan;
  std::uint32_t plan_index = 0;
  std::uint32_t task_index = 0;

  [[nodiscard]] const task_spec& spec() const { return plan->tasks[task_index]; }
  explicit operator bool() const noexcept { return plan != nullptr; }
};

/// A2A `Task`. What derives from `origin` (OPT metadata, name, agent) is added when the record is written.
struct task {
  task_id id;
  std::string context; ///< `contextId`: the objective's id, or the conversation's.
  task_origin origin;
  std::string owner;   ///< Whose it is (owner_of).
  std::string agent;   ///< Who does it.
  std::uint32_t attempt = 0; ///< Counts from 1; 0 = not begun.
  std::uint32_t failures = 0; ///< Attempts that have failed; those that a process did not live to see the end of are not among them.
  bool awaits_retry = false;  ///< The last attempt has failed, the next has not begun. With `failures` for further attempts; neither is shown.
  task_status status;
  timestamp created{};
  progress_ptr progress; ///< The last report; null once terminal.
  std::vector<artifact_ptr> artifacts;
  std::vector<message_ptr> history;
  std::size_t history_bytes = 0; ///< Of `history` (bytes_of); 0: not counted yet.
  boost::json::object metadata; ///< What is not derived from `origin`.
  std::vector<std::string> accepted_output_modes; ///< As asked of a lone task, for its further attempts. Not shown.
};

using task_ptr = std::shared_ptr<const task>;

} // namespace troupe
