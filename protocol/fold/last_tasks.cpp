#include "protocol/fold/last_tasks.hpp"

#include <memory>

namespace troupe {

found_last_tasks last_tasks(const objective_view& view,
                            const std::vector<plan_relations>& relations, std::size_t most) {
  std::vector<std::vector<bool>> is_needed;
  for (const auto& plan : view.plans)
    is_needed.emplace_back(plan.spec->tasks.size(), false);
  const auto need = [&](std::size_t plan, std::size_t task) {
    if (plan < is_needed.size() && task < is_needed[plan].size())
      is_needed[plan][task] = true;
  };
  for (std::size_t p = 0; p < view.plans.size(); ++p) {
    const auto& spec = *view.plans[p].spec;
    for (const auto& task : spec.tasks)
      if (!task.is_removed)
        for (const auto on : task.dependency_indexes)
          need(p, on);
    for (const auto& each : spec.outside)
      if (each.task < spec.tasks.size() && !spec.tasks[each.task].is_removed)
        need(each.on_plan, each.on_task);
    if (view.plans[p].state == plan_state::completed && p < relations.size())
      for (const auto on : relations[p].dependencies)
        is_needed[on].assign(is_needed[on].size(), true);
  }
  found_last_tasks out;
  for (std::size_t p = 0; p < view.plans.size(); ++p)
    for (std::size_t t = 0; t < view.plans[p].tasks.size(); ++t) {
      const auto& summary = view.plans[p].tasks[t];
      if (summary.state != task_state::completed || !summary.has_artifacts || is_needed[p][t]
          || view.plans[p].spec->tasks[t].caller != no_caller) // its caller has used it
        continue;
      if (out.first.size() < most)
        out.first.push_back(view.plans[p].task_at(t));
      else
        ++out.left_out;
    }
  return out;
}

artifact_ptr result_artifact(const task_id& from, const artifact& made) {
  auto out = std::make_shared<artifact>(made);
  out->artifact_id = from.str() + "." + made.artifact_id;
  out->metadata["troupe/v1/taskId"] = from.str();
  return out;
}

} // namespace troupe
