#include "actors/planning/planned_check.hpp"

#include "actors/objective/acceptance.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/text.hpp"

#include <algorithm>
#include <cstddef>

namespace troupe {

namespace {

/// Also of each agent to which the input lets the agent hand work.
result<void> check_agent(const planned_rules& by, const std::string& name,
                         const boost::json::object& input) {
  if (!name.empty() && std::ranges::find(by.allowed, name) == by.allowed.end())
    return make_error(errc::forbidden, "it names the agent " + troupe::quoted(shown(name))
                                           + ", which planned tasks may not name "
                                             "(planner.agents)");
  const auto agent = by.agents->find(by.agents->name_or_default(name));
  if (!agent)
    return {}; // check_new_objective says so.
  return agent->check_planned(
      input, [&by](const std::string& other, const boost::json::object& its_input) {
        return check_agent(by, other, its_input);
      });
}

result<void> check_agents(const planned_rules& by, const plan_spec& plan, std::size_t index) {
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    const auto& task = plan.tasks[i];
    if (auto ok = check_agent(by, task.agent, task.input); !ok)
      return make_error(ok.error().code,
                        "the task " + troupe::quoted(shown(task.name)) + ": " + ok.error().message,
                        "/plans/" + std::to_string(index) + "/tasks/" + std::to_string(i));
  }
  return {};
}

} // namespace

planned_rules planned_rules::of(const agent_registry& agents, std::vector<std::string> allowed) {
  auto copy = std::make_shared<agent_registry>();
  for (const auto& name : agents.names())
    copy->add(name, agents.find(name));
  copy->default_agent = agents.default_name();
  return {std::move(copy), std::move(allowed)};
}

result<void> planned_rules::check(const objective_spec& plan) const {
  bool has_tasks = false;
  for (std::size_t i = 0; i < plan.plans.size(); ++i) {
    has_tasks = has_tasks || !plan.plans[i]->tasks.empty();
    if (auto ok = check_agents(*this, *plan.plans[i], i); !ok)
      return ok;
  }
  if (!has_tasks)
    return make_error(errc::invalid_params, "the plan has no task", "/plans");
  if (auto ok = check_new_objective(plan, *agents); !ok)
    return ok.error();
  return {};
}

result<void> planned_rules::check(const std::vector<wanted_objective_operation>& change) const {
  for (std::size_t i = 0; i < change.size(); ++i)
    if (const auto* added = std::get_if<new_plan>(&change[i]))
      if (auto ok = check_agents(*this, *added->spec, i); !ok)
        return ok;
  return {};
}

} // namespace troupe
