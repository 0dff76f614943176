// `troupe run --only`: some tasks of a plan, with all that they need.
#pragma once

#include "actors/graph/objective_graph.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/spec.hpp>

#include <string>
#include <vector>

namespace troupe {

/// Leaves in `spec` the tasks that `names` name (by id, name, or `Plan / Task`), the tasks on which
/// they depend, and the plans on which plans of these depend, with the alternatives of those plans.
/// Other plans lose their alternatives. `edges`: those of `spec`; the new one has others. Errors:
/// invalid_params (no task has that name, or several have it), invalid_reference (an input refers
/// by its position to a task whose position changes).
[[nodiscard]] result<void> keep_only(objective_spec& spec, const resolved_objective& edges,
                                     const std::vector<std::string>& names);

} // namespace troupe
