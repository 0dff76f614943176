// The plans that a task has made by the answer to its question join its objective.
#pragma once

#include <troupe/actors/agent.hpp>
#include <troupe/actors/gateway.hpp>
#include <troupe/protocol/spec.hpp>

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace troupe {

struct plans_of_task {
  objective_spec made;
  bool renames = false; ///< The objective gets the name and the description of `made`.
  boost::json::object note;
  std::string reason; ///< For the history.
  /// What the task has made, when its plans are there.
  std::vector<artifact> artifacts{};
};

/// They are added once, also if the process ends in between; then the attempt is completed.
void add_plans(gateway& to, const order& by, plans_of_task plans, const agent_port_ptr& port);

} // namespace troupe
