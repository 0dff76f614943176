#include "apps/terminal/shown_name.hpp"

namespace troupe {

std::string shown_name(const task_spec& task, std::size_t index) {
  if (!task.name.empty())
    return task.name;
  return task.key.empty() ? "task-" + std::to_string(index) : task.key;
}

std::string shown_name(const plan_spec& plan, std::size_t index) {
  if (!plan.name.empty())
    return plan.name;
  return plan.key.empty() ? "plan-" + std::to_string(index) : plan.key;
}

} // namespace troupe
