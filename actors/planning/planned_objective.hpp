// An objective of which the plan is made by the text planner: it is durable as `planning` before
// the planner is asked, and works when the plan is in it. A message is never lost: without a plan
// of the planner, the next row of the planner's table says what its plan is.
#pragma once

#include "actors/planning/planning_desk.hpp"
#include <troupe/actors/gateway.hpp>
#include <troupe/protocol/command.hpp>
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/spec.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// The plan of a text that nobody has planned: one task for the default agent, what the text says.
/// It has no task if the text is empty. `name`: of both; empty: it is made of the text.
[[nodiscard]] plan_spec plan_of_text(const std::string& text, std::string name = {});

/// The plans of an objective, to be added to another one: each has an id of its own, and depends on
/// the others by their ids. `note`: for their metadata.
[[nodiscard]] std::vector<plan_spec> plans_to_add(const objective_spec& from,
                                                  const boost::json::object& note);

/// Asks the planner again after a restart, at most once more: then the query says why it is not
/// asked. `attempt`: the first one is 1.
void limit_attempts(planning_query& query, std::uint32_t attempt);

/// What the planner's model has used is counted for the objective.
void count_used(gateway& to, const objective_id& id, const model_usage& used);

/// An answer of the planner, as what a task has made.
[[nodiscard]] artifact answer_as_artifact(const message& said);

/// Makes the objective of a message, without a plan; `done` is answered when it is durable as
/// `planning`. Then the planner is asked. `command` is not started. Errors: those of
/// gateway::create.
void create_planning(gateway& to, create_objective command, planning_query query,
                     reply<objective_ptr> done);

/// Whether the planner was asked for its plan and has not answered yet.
[[nodiscard]] bool is_being_planned(const objective_view& objective);

/// After a restart. The planner is asked once more; if that was done before, the next row decides.
void take_up_planning(gateway& to, const objective_view& left);

} // namespace troupe
