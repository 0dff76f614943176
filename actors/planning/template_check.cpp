#include "actors/planning/template_check.hpp"

#include "actors/objective/acceptance.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/text.hpp"

#include <span>

#include "planner/plan_template.hpp"

namespace troupe {

namespace {

error wrong_in(const planner::plan_template& which, const std::string& why,
               const std::string& pointer) {
  return make_error(errc::invalid_document,
                    "the template " + troupe::quoted(shown(which.name)) + ": "
                        + (pointer.empty() ? std::string{} : pointer + ": ") + why,
                    pointer);
}

result<void> check_template(const planner::plan_template& which, const agent_registry& agents) {
  for (const auto& place : planner::input_places(which)) {
    const auto& name = agents.name_or_default(place.agent);
    if (const auto agent = agents.find(name); agent && !agent->takes_value_at(place.below))
      return wrong_in(
          which, "a parameter may not stand here, in the input of " + troupe::quoted(shown(name)),
          place.pointer);
  }
  const auto sample = planner::sample_of(which);
  if (!sample)
    return wrong_in(which, sample.error().message, {});
  if (const auto ok = check_new_objective(*sample, agents); !ok)
    return wrong_in(which, ok.error().message, ok.error().field);
  return {};
}

} // namespace

result<void> check_templates(const template_list& all, const agent_registry& agents) {
  // Those of the program come first, and fit any agent.
  for (const auto& each : std::span(*all).subspan(planner::shipped_templates().size()))
    if (auto ok = check_template(each, agents); !ok)
      return ok;
  return {};
}

} // namespace troupe
