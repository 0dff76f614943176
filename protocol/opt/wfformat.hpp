// WfCommons WfFormat 1.5: recorded runs of real scientific workflows, read as one plan whose tasks
// sleep as long as the recorded ones ran. Used by read_plan_document, which recognises them.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/spec.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace troupe::wfformat {

/// Whether this means to be a WfFormat instance, of any version: it has `schemaVersion` and
/// `workflow`.
[[nodiscard]] bool is_instance(const boost::json::value& document) noexcept;

/// `workflow.specification.tasks[]` become the tasks, `workflow.execution.tasks[].runtimeInSeconds`
/// their `sleep`; an edge counts whether `parents` or `children` names it, or both. A task's key is
/// its id. Errors: errc::invalid_document, unknown_dependency, duplicate_id or limit_exceeded;
/// `field` is a JSON pointer. Linear.
[[nodiscard]] result<objective_spec> read_instance(const boost::json::value& document);

} // namespace troupe::wfformat
