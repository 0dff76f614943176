// Whether a change can be: a line of a session that is whole may still say what no server writes,
// if another program has changed it. Reading leaves such things out; `troupe session check` says
// them.
#pragma once

#include "store/session/session_state.hpp"
#include <troupe/protocol/event.hpp>

#include <string>

namespace troupe::sessions {

/// What cannot be, in words: a plan or task that is not there, a move that the tables do not have,
/// a revision that was left out. Empty: nothing. `before` is the state without the change.
[[nodiscard]] std::string fault_in(const session_state& before, const change& news);

} // namespace troupe::sessions
