// Resolves the dependencies of a plan that is added to an objective, against the index of the plans
// that it has.
#pragma once

#include "actors/graph/objective_graph.hpp"
#include "actors/graph/objective_index.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/spec.hpp>

#include <vector>

namespace troupe {

/// `to`, of a plan that is added, waits for `from`, of an older one.
struct awaited_edge {
  task_position from;
  task_position to;
};

/// A plan that is added to others.
struct resolved_addition {
  resolved_plan plan;
  std::vector<awaited_edge> awaited;
};

/// `plan` as the next one. It says what resolve_dependencies would say of all of them together; a
/// name that is not clear any more is refused in the same words. Linear in the plan, but if it has
/// alternatives and waits for others: then cycles are looked for in all plans.
[[nodiscard]] result<resolved_addition> resolve_added_plan(const objective_index& known,
                                                           const plan_spec_ptr& plan);

} // namespace troupe
