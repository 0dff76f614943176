#include "apps/draw/dry_run.hpp"

#include "apps/draw/critical_path.hpp"
#include "apps/terminal/json_line.hpp"
#include "apps/terminal/shown_name.hpp"
#include "apps/terminal/text.hpp"
#include "protocol/json/json_text.hpp"
#include "protocol/text/counted.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace troupe {

namespace {

constexpr std::size_t program_columns = 60;

dry_run_place place_in(const objective_spec& objective, std::uint32_t plan, std::uint32_t task) {
  const auto& spec = *objective.plans[plan];
  return {shown_name(spec, plan), shown_name(spec.tasks[task], task)};
}

std::string line_of(const dry_run_place& at) {
  return clean_line(at.task.empty() ? "plan " + at.plan : at.plan + " / " + at.task);
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

dry_run make_dry_run(const objective_spec& objective, const resolved_objective& edges,
                     const agent_registry& agents, const expected_slots& slots) {
  const auto times = expect_times(objective, edges, slots, [&](const task_spec& task) {
    return agents.name_or_default(task.agent) == "command";
  });
  const auto step_of = steps_of(objective.plans, edges);
  // By whether it is of an alternative, then by step.
  std::map<std::pair<bool, std::int64_t>, std::vector<dry_run_task>> steps;
  for (std::uint32_t p = 0; p < objective.plans.size(); ++p) {
    const auto& plan = edges.plans[p];
    for (std::uint32_t t = 0; t < objective.plans[p]->tasks.size(); ++t) {
      const auto& task = objective.plans[p]->tasks[t];
      dry_run_task out;
      out.place = place_in(objective, p, t);
      out.agent = agents.name_or_default(task.agent);
      if (out.agent == "command")
        out.program = program_of(task.input);
      for (auto i = plan.dependency_offsets[t]; i < plan.dependency_offsets[t + 1]; ++i) {
        const auto& on = plan.dependency_positions[i];
        out.after.push_back(place_in(objective, on.plan, on.task));
      }
      for (const auto on : plan.dependencies)
        out.after.push_back({shown_name(*objective.plans[on], on), {}});
      if (times.end.count() > 0)
        out.begins = times.begins[p][t];
      steps[{plan.alternative_of.has_value(), step_of[p][t]}].push_back(std::move(out));
    }
  }
  dry_run out;
  for (auto& [step, tasks] : steps)
    out.steps.push_back({step.first, std::move(tasks)});
  out.end = times.end;
  out.unknown = times.unknown;
  return out;
}

std::string draw(const dry_run& of) {
  std::string out;
  std::size_t number = 0;
  for (const auto& step : of.steps) {
    out += "step " + std::to_string(++number) + ": " + counted(step.tasks.size(), "task")
           + (step.is_alternative ? ", if the plan fails for which it stands in\n" : "\n");
    for (const auto& task : step.tasks) {
      out += "  " + line_of(task.place) + " [" + clean_line(task.agent) + "]";
      if (!task.program.empty())
        out += " " + cut_to(clean_line(task.program), program_columns, "...");
      std::string after;
      for (const auto& on : task.after)
        after += (after.empty() ? "" : ", ") + line_of(on);
      out += after.empty() ? "" : ", after " + after;
      out += task.begins ? ", at " + format_duration(*task.begins) + "\n" : "\n";
    }
  }
  if (of.end.count() > 0)
    out += "expected to end after " + format_duration(of.end)
           + (of.unknown == 0 ? std::string{}
                              : "; " + counted(of.unknown, "task") + " without expectedSeconds "
                                    + (of.unknown == 1 ? "counts" : "count") + " as 0")
           + "\n";
  return out;
}

std::string json_of(const dry_run& of) {
  return json_line([&](json_writer& out) {
    const auto seconds = [&](std::string_view name, std::chrono::milliseconds time) {
      out.key(name).number(static_cast<double>(time.count()) / 1000);
    };
    const auto place = [&](const dry_run_place& at) {
      out.member("plan", at.plan).optional_member("task", at.task);
    };
    out.key("steps").begin_array();
    for (const auto& step : of.steps) {
      out.begin_object();
      if (step.is_alternative)
        out.key("alternative").boolean(true);
      out.key("tasks").begin_array();
      for (const auto& task : step.tasks) {
        out.begin_object();
        place(task.place);
        out.member("agent", task.agent).optional_member("program", task.program);
        out.key("after").begin_array();
        for (const auto& on : task.after) {
          out.begin_object();
          place(on);
          out.end_object();
        }
        out.end_array();
        if (task.begins)
          seconds("beginsAtSeconds", *task.begins);
        out.end_object();
      }
      out.end_array().end_object();
    }
    out.end_array();
    if (of.end.count() > 0) {
      seconds("endsAtSeconds", of.end);
      out.key("withoutExpectedSeconds").number(std::uint64_t{of.unknown});
    }
  });
}

} // namespace troupe
