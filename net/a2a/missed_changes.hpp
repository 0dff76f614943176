// The changes of a plan as answers show them: a page of its history, and those that a client has
// missed whose revision is not the current one.
#pragma once

#include "actors/service/service.hpp"
#include "protocol/json/json_writer.hpp"
#include <troupe/protocol/command.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/plan_change.hpp>

#include <functional>

namespace troupe::net {

/// The changes of a page, as an array.
void write_history(json_writer& out, const plan_history_page& page);
void write_history(json_writer& out, const objective_history_page& page);

/// A refused revision, with the current one and the changes of the page in its details.
[[nodiscard]] error explained(error refused, const plan_history_page& missed);

using refuse_fn = std::function<void(error)>;

/// Refuses with `refused`. If that is about the revision, and the history can be read, it is
/// explained.
void explain(const service& of, const get_plan_history& missed, error refused,
             const refuse_fn& refuse);
void explain(const service& of, const get_objective_history& missed, error refused,
             const refuse_fn& refuse);

/// What a client has missed whose command is refused because of its revision.
[[nodiscard]] get_plan_history missed_by(const change_plan& command);
[[nodiscard]] get_plan_history missed_by(const update_plan& command);
[[nodiscard]] get_objective_history missed_by(const create_plan& command);
[[nodiscard]] get_objective_history missed_by(const update_objective& command);
[[nodiscard]] get_objective_history missed_by(const modify_objective& command);
[[nodiscard]] get_objective_history missed_by(const replan_objective& command);

} // namespace troupe::net
