#include "agents/builtin/conformance.hpp"
#include "agents/builtin/echo.hpp"
#include "agents/builtin/scripted.hpp"
#include "agents/builtin/sleep.hpp"
#include "agents/command/command.hpp"
#include <troupe/agents/register_builtin.hpp>

#include <memory>

namespace troupe {

void register_builtin_agents(agent_registry& into, const builtin_agent_options& options) {
  into.add("echo", std::make_shared<echo_agent>());
  into.add("noop", std::make_shared<noop_agent>());
  into.add("sleep", std::make_shared<sleep_agent>());
  into.add("scripted", std::make_shared<scripted_agent>());
  if (options.command)
    into.add("command", std::make_shared<command_agent>(*options.command));
  if (options.conformance)
    into.add("conformance", std::make_shared<conformance_agent>());
}

} // namespace troupe
