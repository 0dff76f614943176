// Objectives, plans and tasks in few words, for both beds of actors.
#pragma once

#include <troupe/protocol/spec.hpp>

#include <memory>
#include <string>
#include <vector>

namespace troupe::testing {

/// A task of that name; `after` are its dependencies.
inline task_spec a_task(std::string name, std::vector<std::string> after = {},
                        std::string agent = "noop") {
  task_spec out;
  out.name = std::move(name);
  out.dependencies = std::move(after);
  out.agent = std::move(agent);
  out.retry.backoff = milliseconds{1};
  return out;
}

inline plan_spec a_plan(std::string name, std::vector<task_spec> tasks) {
  plan_spec out;
  out.name = std::move(name);
  out.tasks = std::move(tasks);
  return out;
}

/// The same, that goes on when a task fails.
inline plan_spec going_on(plan_spec plan) {
  plan.failure = on_failure::keep_going;
  return plan;
}

inline objective_spec an_objective(std::vector<plan_spec> plans) {
  objective_spec out;
  out.name = "test";
  for (auto& plan : plans)
    out.plans.push_back(std::make_shared<plan_spec>(std::move(plan)));
  return out;
}

} // namespace troupe::testing
