// The operations of `plans/modify` and `objectives/modify` as JSON: `{"op": "addDependency",
// "task": "b", "on": "a"}`.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/objective_operation.hpp>
#include <troupe/protocol/plan_change.hpp>

#include <boost/json/array.hpp>

#include <string>
#include <vector>

namespace troupe::opt {

/// The operations in `from`, which stands at `pointer` (RFC 6901). `op` is one of those in
/// docs/objectives.md. A task is named by a text: an id, a name or a position (`task-3`). Members
/// that an operation does not have are ignored. Errors: invalid_params, limit_exceeded
/// (plan_operations_bytes_max, and those of a task); the field is the member that is wrong.
[[nodiscard]] result<std::vector<wanted_operation>> read_operations(const boost::json::array& from,
                                                                    const std::string& pointer);

/// The same for those of `objectives/modify`. A plan is named by a text, or by its position.
[[nodiscard]] result<std::vector<wanted_objective_operation>>
read_objective_operations(const boost::json::array& from, const std::string& pointer);

} // namespace troupe::opt
