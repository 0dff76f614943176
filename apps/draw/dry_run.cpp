#include "apps/draw/dry_run.hpp"

#include "apps/draw/critical_path.hpp"
#include "apps/terminal/shown_name.hpp"
#include "apps/terminal/text.hpp"
#include "protocol/json/json_text.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace troupe {

namespace {

constexpr std::size_t program_columns = 60;

std::string place_of(const objective_spec& objective, std::uint32_t plan, std::uint32_t task) {
  const auto& spec = *objective.plans[plan];
  return clean_line(shown_name(spec, plan) + " / " + shown_name(spec.tasks[task], task));
}

/// The words of a command, as they are written.
std::string program_of(const boost::json::object& input) {
  if (const auto* line = input.if_contains("shell"); line != nullptr && line->is_string())
    return std::string(line->get_string());
  const auto* words = input.if_contains("argv");
  if (words == nullptr || !words->is_array())
    return {};
  std::string out;
  for (const auto& word : words->get_array())
    out += (out.empty() ? "" : " ") + text_of_value(word);
  return out;
}

} // namespace

std::string draw_dry_run(const objective_spec& objective, const resolved_objective& edges,
                         const agent_registry& agents, const expected_slots& slots) {
  const auto times = expect_times(objective, edges, slots, [&](const task_spec& task) {
    return agents.name_or_default(task.agent) == "command";
  });
  // By whether it is of an alternative, then by step.
  std::map<std::pair<bool, std::int64_t>, std::vector<std::pair<std::uint32_t, std::uint32_t>>>
      steps;
  const auto step_of = steps_of(objective.plans, edges);
  for (std::uint32_t p = 0; p < objective.plans.size(); ++p)
    for (std::uint32_t t = 0; t < objective.plans[p]->tasks.size(); ++t)
      steps[{edges.plans[p].alternative_of.has_value(), step_of[p][t]}].emplace_back(p, t);
  std::string out;
  std::size_t number = 0;
  for (const auto& [step, tasks] : steps) {
    out += "step " + std::to_string(++number) + ": " + counted(tasks.size(), "task")
           + (step.first ? ", if the plan fails for which it stands in\n" : "\n");
    for (const auto& [p, t] : tasks) {
      const auto& task = objective.plans[p]->tasks[t];
      const auto& agent = agents.name_or_default(task.agent);
      out += "  " + place_of(objective, p, t) + " [" + clean_line(agent) + "]";
      if (agent == "command")
        if (const auto program = program_of(task.input); !program.empty())
          out += " " + cut_to(clean_line(program), program_columns, "...");
      const auto& plan = edges.plans[p];
      std::string after;
      for (auto i = plan.dependency_offsets[t]; i < plan.dependency_offsets[t + 1]; ++i) {
        const auto& on = plan.dependency_positions[i];
        after += (after.empty() ? "" : ", ") + place_of(objective, on.plan, on.task);
      }
      for (const auto on : plan.dependencies)
        after += (after.empty() ? "plan " : ", plan ")
                 + clean_line(shown_name(*objective.plans[on], on));
      out += after.empty() ? "" : ", after " + after;
      if (const auto& begin = times.begins[p][t]; begin && times.end.count() > 0)
        out += ", at " + format_duration(*begin);
      out += "\n";
    }
  }
  if (times.end.count() > 0)
    out +=
        "expected to end after " + format_duration(times.end)
        + (times.unknown == 0 ? std::string{}
                              : "; " + counted(times.unknown, "task") + " without expectedSeconds "
                                    + (times.unknown == 1 ? "counts" : "count") + " as 0")
        + "\n";
  return out;
}

} // namespace troupe
