// What somebody asked for: objectives, plans and tasks as written in a file or sent over the wire, after reading and before
// anything runs. Immutable once accepted; the records of what happened (task.hpp, objective.hpp) point into it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "protocol/ids.hpp"
#include "protocol/time.hpp"

namespace troupe {

using milliseconds = std::chrono::milliseconds;

/// How often and when a failed task is tried again.
struct retry_policy {
  std::uint32_t attempts_max = 1;  ///< `maxAttempts`: attempts in all, the first included. 1 to 1000.
  milliseconds backoff{1000};      ///< `backoff` (seconds in JSON): wait before the 2nd attempt; doubles each time.
  milliseconds backoff_max{60000}; ///< `maxBackoff` (seconds in JSON).
  double jitter = 0.0;             ///< `jitter`: 0 to 1, the share of the wait that is drawn at random.

  friend bool operator==(const retry_policy&, const retry_policy&) = default;
};

/// In task_spec::dependency_indexes: a dependency that is not a task of the same plan.
inline constexpr std::uint32_t elsewhere = 0xffffffff;

/// One task of a plan. `dependencies` are as written: an id, a name, or a position (`"task-0"`); plan_graph resolves them.
struct task_spec {
  task_id id;       ///< Its A2A id. Given by the client or generated; unique in the store.
  std::string key;  ///< The id as written in the document; empty if it had none. What references and dependencies use.
  std::string name;
  std::string description;
  std::string agent; ///< Empty: the configured default agent.
  boost::json::object input;
  std::vector<std::string> dependencies;
  /// Derived: for each of `dependencies` the position of that task in the plan, or `elsewhere`. Empty until somebody resolved the
  /// plan's dependencies; saves records from looking names up.
  std::vector<std::uint32_t> dependency_indexes;
  retry_policy retry;
  milliseconds timeout{0}; ///< Per attempt; 0 = none.
  boost::json::object metadata;
};

enum class on_failure : std::uint8_t { fail_fast, keep_going /* "continue" */ };

/// One plan. `dependencies` and `alternatives` name plans by id, name or position (`"plan-0"`).
struct plan_spec {
  plan_id id;
  std::string key; ///< The id as written; may be empty.
  std::string name;
  std::string description;
  std::vector<task_spec> tasks;
  std::vector<std::string> dependencies;
  std::vector<std::string> alternatives; ///< Tried in order when this plan fails; skipped when it completes.
  on_failure failure = on_failure::fail_fast;
  std::uint32_t parallel_max = 0; ///< `maxParallel`; 0 = no limit.
  boost::json::object metadata;
};

using plan_spec_ptr = std::shared_ptr<const plan_spec>;

struct objective_spec {
  objective_id id;
  std::string name;
  std::string description;
  std::vector<plan_spec_ptr> plans;
  std::uint32_t parallel_max = 0; ///< `maxParallel`; 0 = no limit.
  boost::json::object metadata;
};

using objective_spec_ptr = std::shared_ptr<const objective_spec>;

/// About what it takes in memory: for limits. Linear in its tasks and what they say.
[[nodiscard]] std::size_t bytes_of(const plan_spec& what) noexcept;
[[nodiscard]] std::size_t bytes_of(const objective_spec& what) noexcept;

} // namespace troupe
