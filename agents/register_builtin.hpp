// Puts the agents that come with Troupe into a registry: echo, noop, sleep, scripted and, if wanted, command and conformance.
#pragma once

#include "actors/agent.hpp"
#include "agents/command.hpp"

#include <optional>

namespace troupe {

struct builtin_agent_options {
  /// None: no `command` agent. It runs any program for whoever may give it a task, so a server that takes plans from others
  /// should have it only on purpose.
  std::optional<command_options> command = command_options{};
  bool conformance = false; ///< Only for a server that an outside conformance kit tests.
};

/// Replaces agents of the same names.
void register_builtin_agents(agent_registry& into, const builtin_agent_options& options = {});

} // namespace troupe
