// Asks the desk what becomes of a text that is about an objective.
#pragma once

#include "actors/planning/planning_desk.hpp"
#include <troupe/actors/gateway.hpp>
#include <troupe/protocol/ids.hpp>

namespace troupe {

/// Also asks the text planner. If the objective ends meanwhile, nobody plans any more, and `done`
/// gets errc::unavailable. Errors also: those of planning_desk::ask.
void ask_about(gateway& to, const objective_id& id, planning_query query,
               reply<planned_message_ptr> done);

} // namespace troupe
