// Whether a plan may run that a planner has made from a text, and that nobody has read: its tasks
// name only agents that planned tasks may name, and no input runs a program or reaches a host of
// its own choice.
#pragma once

#include <troupe/actors/agent.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/objective_operation.hpp>
#include <troupe/protocol/spec.hpp>

#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// `allowed`: planning_options::agents.
struct planned_rules {
  std::shared_ptr<const agent_registry> agents;
  std::vector<std::string> allowed;

  /// The agents as they are now, and as long as the rules live.
  [[nodiscard]] static planned_rules of(const agent_registry& agents,
                                        std::vector<std::string> allowed);

  /// Errors say why it cannot run: forbidden (an agent, or its input), invalid_params (it has no
  /// task), and those of check_new_objective. The field is a JSON pointer below the objective.
  [[nodiscard]] result<void> check(const objective_spec& plan) const;
  /// Looks at the plans that the operations add. What they do to the objective is looked at when
  /// they are done.
  [[nodiscard]] result<void> check(const std::vector<wanted_objective_operation>& change) const;
};

} // namespace troupe
