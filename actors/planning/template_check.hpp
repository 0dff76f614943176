// Whether templates fit the agents that do their tasks: what a template makes can run, and a value
// that a client gives for a parameter stays a value there.
#pragma once

#include "actors/planning/planning_desk.hpp"
#include <troupe/actors/agent.hpp>
#include <troupe/protocol/errc.hpp>

namespace troupe {

/// errc::invalid_document: the message names the template, and what is wrong with it.
[[nodiscard]] result<void> check_templates(const template_list& all, const agent_registry& agents);

} // namespace troupe
