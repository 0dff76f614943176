// `troupe agents`, `troupe schema` and `troupe version`.
#include "apps/commands.hpp"
#include "apps/plan/plan_file.hpp"
#include "apps/plan/plan_schema.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/text.hpp"
#include "apps/version.hpp"

#include <algorithm>
#include <string>

namespace troupe {

int agents_command(const agents_options&) {
  agent_registry agents;
  register_own_agents(agents);
  std::size_t longest = 0;
  for (const auto& name : agents.names())
    longest = std::max(longest, display_width(name));
  std::string out;
  for (const auto& name : agents.names()) {
    const auto who = agents.find(name);
    auto line = fit_to(name, longest, "") + "  " + clean_line(who->description());
    if (const auto limit = who->parallel_max(); limit > 0)
      line += " (at most " + std::to_string(limit) + " at once)";
    if (name == agents.default_agent)
      line += " [default]";
    for (const auto& each : wrapped(line, stdout_width(), longest + 2))
      out += each + "\n";
  }
  return say(out) ? exit_ok : exit_failed;
}

int schema_command(const schema_options&) {
  return say(plan_schema) ? exit_ok : exit_failed;
}

int version_command(const version_options&) {
  return say(version_text()) ? exit_ok : exit_failed;
}

} // namespace troupe
