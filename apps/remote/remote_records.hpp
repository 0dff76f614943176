// The records of an objective's tasks, read from its server: what `show` and `watch` show of them
// at the end is what `run` shows.
#pragma once

#include "apps/remote/server_link.hpp"
#include "apps/run/run_ending.hpp"
#include <troupe/protocol/objective.hpp>

#include <boost/json/value.hpp>

#include <string>

namespace troupe {

/// The objective with its plans and tasks. Errors: the server's, and what its answer is not.
[[nodiscard]] result<objective_view> read_objective_of(const server_link& on,
                                                       const std::string& id);

/// Reads the lists of the objective's tasks when the first record is asked for; a task that is in
/// none of the first pages is asked for by itself. `on` outlives it.
[[nodiscard]] record_reader records_of(const server_link& on, const objective_id& id);

} // namespace troupe
