// Asks the desk what becomes of a text that is about an objective.
#pragma once

#include "actors/planning/planning_desk.hpp"
#include <troupe/actors/gateway.hpp>
#include <troupe/protocol/ids.hpp>

#include <functional>

namespace troupe {

/// Hands the query on with what the objective has come to, if it is about one that is there and
/// there is a planner that could use it.
void with_so_far(gateway& to, const objective_id& id, planning_query query,
                 const std::function<void(planning_query)>& next);

/// Also asks the text planner. If the objective ends meanwhile, nobody plans any more, and `done`
/// gets errc::unavailable. Errors also: those of planning_desk::ask.
void ask_about(gateway& to, const objective_id& id, planning_query query,
               reply<planned_message_ptr> done);

} // namespace troupe
