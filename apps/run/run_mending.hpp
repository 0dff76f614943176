// Takes the mended file of a plan into a run that is tried again.
#pragma once

#include "actors/service/service.hpp"
#include "apps/plan/mended_plan.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/objective.hpp>

#include <set>
#include <string>

namespace troupe {

/// Tasks that tasks have added to their plans (an agent with the tool add_tasks does): they are in
/// no file. Blocks.
[[nodiscard]] result<std::set<task_position>> tasks_made_by_tasks(const service& operations,
                                                                  const objective_view& recorded);

/// Changes a renewed objective, before it begins. Tries everything first, and does nothing if that
/// is refused. Blocks.
[[nodiscard]] result<void> change_renewed(const service& operations, const objective_id& id,
                                          const mended_run& mended);

} // namespace troupe
