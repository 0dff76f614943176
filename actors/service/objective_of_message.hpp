// The objective that a message asks for, by the rules of OPT (docs/a2a.md, D16): pure decisions.
#pragma once

#include "actors/service/send_request.hpp"
#include <troupe/protocol/command.hpp>
#include <troupe/protocol/errc.hpp>

namespace troupe {

/// The command that makes it, started. An objective without plans gets one whose only task is what
/// the message says, and without a name one of the message's text. `request.objective` is set.
/// errc::invalid_params: the message's context is another id than the objective's.
[[nodiscard]] result<create_objective> objective_of_message(const send_request& request);

} // namespace troupe
