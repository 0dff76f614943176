// An objective is planned anew: it is paused, the planner is asked, its change is made, and it goes
// on. Whatever happens on the way, the pause ends: it is one that a restart ends, too
// (pause_changed::for_planner).
#pragma once

#include <troupe/actors/gateway.hpp>
#include <troupe/actors/text_planner.hpp>
#include <troupe/protocol/command.hpp>
#include <troupe/protocol/objective.hpp>

#include <cstdint>
#include <vector>

namespace troupe {

/// What a task of the objective has asked a person for the planner.
struct replan_answer {
  task_id asking;
  std::vector<planner_exchange> said; ///< The first question first.
  std::uint32_t attempt = 1;          ///< How often the planner was asked with it.
};

/// `command` may come only once, or comes for the first time; its objective is its sender's.
/// Errors: those of gateway::replan.
void replan(gateway& to, replan_objective command, reply<replan_report> done);

/// The same with what the planner has asked for. The change is made once for `answered.asking`; if
/// it was made before, `done` gets an empty report.
void replan_answered(gateway& to, replan_objective command, replan_answer answered,
                     reply<replan_report> done);

/// After a restart: nobody waits for the planner any more, so the objective goes on as it was.
void end_planner_pause(gateway& to, const objective_view& left);

} // namespace troupe
