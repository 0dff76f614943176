#include "actors/planning/planned_by_task.hpp"

#include "actors/planning/replacement.hpp"
#include "protocol/owner_parts.hpp"
#include <troupe/protocol/command.hpp>

#include <algorithm>
#include <utility>

#include "planner/verdict.hpp"

namespace troupe {

namespace {

/// Of the note of the plans: the task that asked.
constexpr const char* asked_by = "askedBy";

/// Whether its plans were added before: the process may have ended between that and its own end.
bool has_added(const objective_view& now, const task_id& asking) {
  return std::ranges::any_of(now.plans, [&](const plan_view& plan) {
    const auto* note = plan.spec->metadata.if_contains(planner::planner_key);
    const auto* members = note ? note->if_object() : nullptr;
    const auto* by = members ? members->if_contains(asked_by) : nullptr;
    return by != nullptr && by->is_string() && by->get_string() == asking.str();
  });
}

std::vector<wanted_objective_operation> operations_for(const plans_of_task& of) {
  std::vector<wanted_objective_operation> out;
  edits edited;
  if (of.renames) {
    edited.name = of.made.name;
    edited.description = of.made.description;
  }
  if (!edited.empty())
    out.emplace_back(edit_objective{std::move(edited)});
  for (auto& plan : plans_as_operations(of.made)) {
    plan.start = true; // Also if the plans of the objective are started one by one.
    out.emplace_back(std::move(plan));
  }
  return with_note(out, of.note);
}

} // namespace

void add_plans(gateway& to, const order& by, plans_of_task plans, const agent_port_ptr& port) {
  plans.note[asked_by] = by.id.str();
  modify_objective change;
  change.id = objective_id{by.context};
  change.operations = operations_for(plans);
  change.reason = std::move(plans.reason);
  change.author = planner_author;
  to.records().read_objective(
      change.id, [&to, change, port, asking = by.id,
                  done = std::move(plans.artifacts)](const result<objective_ptr>& now) mutable {
        if (!now)
          return port->report(report_failed{now.error().message});
        if (has_added(**now, asking))
          return port->report(report_completed{std::move(done), "the plans were added before"});
        change.who = principal_of((*now)->owner);
        to.change(std::move(change), [port, done](const result<change_report>& added) {
          if (added)
            port->report(report_completed{done, "the plans were added"});
          else
            port->report(report_failed{added.error().message, false});
        });
      });
}

} // namespace troupe
