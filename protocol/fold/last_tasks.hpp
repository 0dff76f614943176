// The result of an objective: what its last tasks have made, for the task that stands for it.
#pragma once

#include "protocol/fold/plan_order.hpp"
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/objective.hpp>

#include <cstddef>
#include <vector>

namespace troupe {

struct found_last_tasks {
  std::vector<task_id> first; ///< In the order of the document.
  std::size_t left_out = 0;   ///< As many are not among `first`.
};

/// The tasks that completed, have artifacts, and on which nothing depends: no task, and no plan
/// that completed; at most `most` of them. Linear in tasks and dependencies. `relations` by plan.
[[nodiscard]] found_last_tasks last_tasks(const objective_view& view,
                                          const std::vector<plan_relations>& relations,
                                          std::size_t most);

/// An artifact of `from` as one of another task: its id has that task's id in front, so that it is
/// unique there, and its metadata says where it is from (`troupe/v1/taskId`).
[[nodiscard]] artifact_ptr result_artifact(const task_id& from, const artifact& made);

} // namespace troupe
