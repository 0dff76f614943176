// The operations of `plans/modify` and `objectives/modify` as JSON: `{"op": "addDependency",
// "task": "b", "on": "a"}`.
#pragma once

#include "protocol/json/json_writer.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/objective_operation.hpp>
#include <troupe/protocol/plan_change.hpp>

#include <boost/json/array.hpp>

#include <string>
#include <string_view>
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

/// Whether there is an operation of that `op` in `plans/modify`, or in `objectives/modify`. Of
/// "setPlan" in both.
[[nodiscard]] bool is_plan_operation(std::string_view op) noexcept;
[[nodiscard]] bool is_objective_operation(std::string_view op) noexcept;
/// What read_objective_operations reads, as an array.
void write_operations(json_writer& out, const std::vector<wanted_objective_operation>& operations);

} // namespace troupe::opt
