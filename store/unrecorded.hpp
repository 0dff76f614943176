// Tasks of an objective that have no record of their own: those that have not begun, and those that
// were withdrawn before they did. What is shown of them is made of what their objective knows.
// Plain functions.
#pragma once

#include "store/archive.hpp"
#include "store/page.hpp"
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/task.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace troupe {

/// Such a task, in `status`.
[[nodiscard]] task_ptr make_unrecorded(const objective_view& owner, const task_id& id,
                                       const task_place& place, task_status status,
                                       const std::vector<artifact_ptr>& artifacts = {});

/// The status of one that has not begun: submitted since its plan was made.
[[nodiscard]] task_status unbegun_status(const plan_view& plan);

/// One that was withdrawn: `at`, reason and artifacts are those of the withdrawal that took it.
[[nodiscard]] task_ptr make_withdrawn(const objective_view& owner,
                                      const std::vector<withdrawal>& known, const task_id& id,
                                      const task_place& place);

/// The first `count` of them after `after` that pass, in list order, and how many pass in all.
/// Walks every summary once. An id that was withdrawn and stands for nothing any more, because its
/// task was made anew under another, is not among them.
[[nodiscard]] listed<task_ptr> list_unrecorded(const objective_state_of_record& owner,
                                               const task_filter& filter,
                                               const std::optional<position>& after,
                                               std::size_t count);

} // namespace troupe
