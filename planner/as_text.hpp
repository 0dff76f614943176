// A plan as text: the way back from a reading.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/spec.hpp>

#include <string>

namespace troupe::planner {

/// The names, durations and order of the tasks of an objective with one plan, as a numbered list
/// with sentences; read_text reads the same back. Agents, inputs and descriptions are not in it.
/// errc::invalid_params: it has several plans, or a name that would be read as something else; the
/// message says which.
[[nodiscard]] result<std::string> as_text(const objective_spec& objective);

} // namespace troupe::planner
