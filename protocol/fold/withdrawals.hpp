// The tasks of an objective that ended without having begun, and why: the fold of what a plan's
// summaries have no room for.
#pragma once

#include <troupe/protocol/event.hpp>
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/task_state.hpp>
#include <troupe/protocol/time.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// Tasks of a plan that one event has withdrawn. Their summaries have their states.
struct withdrawal {
  std::uint32_t plan = 0;
  std::vector<std::uint32_t> tasks;
  task_state to = task_state::canceled;
  std::string reason;
  boost::json::object metadata;
  timestamp at{};
  std::vector<artifact_ptr> artifacts{}; ///< Of a task that somebody else completed.
};

/// Adds to `known` the tasks that the change withdraws, and removes those that it renews.
void note_withdrawals(std::vector<withdrawal>& known, const change& news);

} // namespace troupe
