// The objective that a message asks for, by the rules of OPT (docs/a2a.md, D16): pure decisions.
#pragma once

#include "actors/service/send_request.hpp"
#include <troupe/protocol/command.hpp>
#include <troupe/protocol/errc.hpp>

#include <optional>

namespace troupe {

/// The command that makes it, started. An objective without plans gets one whose only task is what
/// the message says, and without a name one of the message's text. `request.objective` is set, or
/// the message was planned (send_request::planned): then its plans are those of the planner.
/// The documents of the request are moved out of it.
/// errc::invalid_params: the message's context is another id than the objective's.
[[nodiscard]] result<create_objective> objective_of_message(send_request& request);

/// The command that makes an objective without a plan, which the planner is to make: not started.
[[nodiscard]] create_objective objective_to_plan(const send_request& request);

/// The plan with which the message joins the objective of its context, as a command that starts it:
/// the one that it brings, or one whose only task is what it says. Nothing if it brings an
/// objective, or if it has more than text: then it is a task of its own. A plan's task is given a
/// text, and refers to what its objective refers to. The plan is moved out of the request.
[[nodiscard]] std::optional<create_plan> plan_of_message(send_request& request);

/// Why a message with `referenceTaskIds` joins no objective.
[[nodiscard]] error refers_to_tasks();

} // namespace troupe
