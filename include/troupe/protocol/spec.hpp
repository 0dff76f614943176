// Objectives, plans and tasks as written in a file or sent over the wire, after reading and before
// anything runs. A shared value never changes. An event that changes a plan (plan_change.hpp) makes
// another version of the plan, which shares the unchanged parts. The records (task.hpp,
// objective.hpp) point to it.
#pragma once

#include <troupe/protocol/chunked.hpp>
#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/time.hpp>

#include <boost/json/object.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

using milliseconds = std::chrono::milliseconds;

/// How often and when a failed task is tried again.
struct retry_policy {
  /// `maxAttempts`: attempts in all, the first included. 1 to 1000.
  std::uint32_t attempts_max = 1;
  /// `backoff` (seconds in JSON): wait before the 2nd attempt; doubles each time.
  milliseconds backoff{1000};
  milliseconds backoff_max{60000}; ///< `maxBackoff` (seconds in JSON).
  /// `jitter`: 0 to 1, the share of the wait that is drawn at random.
  double jitter = 0.0;

  friend bool operator==(const retry_policy&, const retry_policy&) = default;
};

/// The priority of an objective or plan is from minus this to this.
inline constexpr std::int32_t priority_max = 100;

/// In task_spec::dependency_indexes: a dependency that is not a task of the same plan.
inline constexpr std::uint32_t elsewhere = 0xffffffff;

/// As task_spec::caller: no other task has called it.
inline constexpr std::uint32_t no_caller = 0xffffffff;

/// One task of a plan. `dependencies` are as written: an id, a name, or a position (`"task-0"`);
/// plan_graph resolves them.
struct task_spec {
  task_id id; ///< Its A2A id. Given by the client or generated; unique in the store.
  /// The id as written in the document; empty if it had none. References and dependencies use it.
  std::string key;
  std::string name;
  std::string description;
  std::string agent; ///< Empty: the configured default agent.
  boost::json::object input;
  std::vector<std::string> dependencies;
  /// Derived: for each of `dependencies` the position of that task in the plan, or `elsewhere`.
  /// Empty until the dependencies of the plan are resolved. With it, records need not look names
  /// up.
  std::vector<std::uint32_t> dependency_indexes;
  retry_policy retry;
  milliseconds timeout{0}; ///< Per attempt; 0 = none.
  /// If it has not ended by then, while its plan runs, it fails, without another attempt. It is
  /// part of each order.
  std::optional<timestamp> deadline{};
  milliseconds deadline_after{0}; ///< From its start on, that gives it a deadline; 0: none.
  /// `expectedSeconds`: how long it will take, about; its weight in progress. 0: not known.
  milliseconds expected{0};
  std::int32_t priority = 0; ///< Of tasks that are ready the greatest begins first.
  /// Not of the document: the position of the task of the same plan that has called it, and waits
  /// for its end (report_change). How it ends concerns that one alone: the plan does not fail with
  /// it.
  std::uint32_t caller = no_caller;
  /// It was taken out of its plan. Its position stays empty, so that those of others do not change.
  bool is_removed = false;
  boost::json::object metadata;
};

/// A dependency on a task of another plan, as positions and as an id.
struct outside_dependency {
  std::uint32_t task = 0; ///< The task of this plan that depends.
  std::uint32_t on_plan = 0;
  std::uint32_t on_task = 0;
  task_id on{}; ///< Of that task when the plan was made; empty in records of earlier versions.

  friend bool operator==(const outside_dependency&, const outside_dependency&) = default;
};

enum class on_failure : std::uint8_t { fail_fast, keep_going /* "continue" */ };

/// One plan. `dependencies` and `alternatives` name plans by id, name or position (`"plan-0"`).
struct plan_spec {
  plan_id id;
  std::string key; ///< The id as written; may be empty.
  std::string name;
  std::string description;
  chunked<task_spec> tasks; ///< Those that were removed, too: a task's position never changes.
  std::vector<std::string> dependencies;
  /// Tried in order when this plan fails; skipped when it completes.
  std::vector<std::string> alternatives;
  on_failure failure = on_failure::fail_fast;
  std::uint32_t parallel_max = 0; ///< `maxParallel`; 0 = no limit.
  boost::json::object metadata;
  /// Derived, as task_spec::dependency_indexes: those on tasks of other plans, by `task`.
  chunked<outside_dependency> outside{};
  std::optional<timestamp> deadline{}; ///< If it has not ended by then, it fails.
  milliseconds deadline_after{0};      ///< From its start on, that gives it a deadline; 0: none.
  std::int32_t priority = 0; ///< Added to that of each of its tasks. At most priority_max.
  /// It was taken out of its objective before it began. Its position stays, as that of a task does.
  bool is_removed = false;
};

/// Made by std::make_shared<plan_spec>: its only owner may still fill in the derived members.
using plan_spec_ptr = std::shared_ptr<const plan_spec>;

struct objective_spec {
  objective_id id;
  std::string name;
  std::string description;
  std::vector<plan_spec_ptr> plans;
  std::uint32_t parallel_max = 0; ///< `maxParallel`; 0 = no limit.
  boost::json::object metadata;
  /// Not of the document: what the message refers to that brought it, its `referenceTaskIds` and
  /// the parts that pin artifacts. Null: nothing.
  message_ptr references{};
  std::optional<timestamp> deadline{}; ///< If it has not ended by then, it fails.
  milliseconds deadline_after{0};      ///< From its start on, that gives it a deadline; 0: none.
  std::int32_t priority = 0; ///< Among objectives that wait for slots. At most priority_max.
};

using objective_spec_ptr = std::shared_ptr<const objective_spec>;

/// About its size in memory, in bytes, for limits. The cost is linear in its tasks and their texts.
[[nodiscard]] std::size_t bytes_of(const plan_spec& spec) noexcept;
[[nodiscard]] std::size_t bytes_of(const objective_spec& spec) noexcept;

} // namespace troupe
