// The plans of a text as operations of a change of an objective. Plain functions.
#pragma once

#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/objective_operation.hpp>
#include <troupe/protocol/spec.hpp>

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace troupe {

/// Adds the plans of `from`, each behind those that it names.
[[nodiscard]] std::vector<new_plan> plans_as_operations(const objective_spec& from);

/// A copy, in which the metadata of the new plans has `note` (planner::planner_key). The objective
/// names the plans of a copy, not those of `from`.
[[nodiscard]] std::vector<wanted_objective_operation>
with_note(const std::vector<wanted_objective_operation>& from, const boost::json::object& note);

/// Puts these plans in the place of those that have not begun: removes those, as far as no plan
/// that stays needs them, and lets the new ones wait for what they waited for. What has begun
/// stays.
[[nodiscard]] std::vector<wanted_objective_operation>
replacing_operations(const objective_view& now, std::vector<new_plan> plans);

} // namespace troupe
