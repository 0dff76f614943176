// A task as clients see it (A2A `Task`). The record is a value; a published one is shared and
// immutable (`task_ptr`).
#pragma once

#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/model_usage.hpp>
#include <troupe/protocol/progress.hpp>
#include <troupe/protocol/spec.hpp>
#include <troupe/protocol/task_life.hpp>
#include <troupe/protocol/task_state.hpp>
#include <troupe/protocol/time.hpp>
#include <troupe/protocol/trace.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// The plan of a task, and its place there. Null plan: a lone task, made by a message.
struct task_origin {
  plan_spec_ptr plan;
  std::uint32_t plan_index = 0;
  std::uint32_t task_index = 0;

  [[nodiscard]] const task_spec& spec() const { return plan->tasks[task_index]; }
  explicit operator bool() const noexcept { return plan != nullptr; }
};

/// Members that only some tasks have. Only `spans` and `usage` are shown on the wire.
struct task_details {
  /// Those of the request for a lone task, for its further attempts.
  std::vector<std::string> accepted_output_modes;
  trace_context trace;  ///< Of a lone task; a plan's task has its objective's.
  std::string taken_by; ///< The outside party that took the attempt; empty: this server's agent.
  std::string note;     ///< The agent's, with this attempt.
  /// Its phases before the present one, oldest first. `since` says what is left out.
  std::vector<task_span> spans;
  std::uint32_t spans_dropped = 0; ///< Older than `spans`.
  model_usage usage{};             ///< Of all its attempts.

  friend bool operator==(const task_details&, const task_details&) = default;
};

/// A2A `Task`: its life, its messages and its artifacts. Members that derive from `origin` (OPT
/// metadata, name, agent) are added when the record is written.
struct task : task_life {
  task_id id;
  std::string context; ///< `contextId`: the objective's id, or the conversation's.
  task_origin origin;
  std::string owner; ///< See owner_of.
  std::string agent; ///< The agent that does it.
  timestamp created{};
  /// When it became ready: its dependencies had completed. From then on it waited for its first
  /// slot, but for the pauses of its plan that its spans begin with.
  timestamp ready_at{};
  /// When the present phase began. For an ended task: when its last run began, which ended at
  /// `status.at`; if both are equal there is no such run.
  timestamp since{};
  progress_ptr progress; ///< The last report; null once terminal.
  std::vector<artifact_ptr> artifacts;
  std::vector<message_ptr> history;
  std::size_t history_bytes = 0; ///< Of `history` (bytes_of); 0: not counted yet.
  boost::json::object metadata;  ///< What is not derived from `origin`.
  lazy<task_details> details;
};

using task_ptr = std::shared_ptr<const task>;

} // namespace troupe
