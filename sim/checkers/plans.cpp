#include <algorithm>

#include "sim/checkers/at_once.hpp"
#include "sim/checkers/checkers.hpp"

namespace troupe::sim {

namespace {

using attempts = std::vector<const attempt*>;

verdict check_limit(const std::string& name, std::uint32_t parallel_max, const attempts& of) {
  const auto most = most_at_once(of);
  if (parallel_max == 0 || most <= parallel_max)
    return std::nullopt;
  return name + " ran " + std::to_string(most) + " tasks at once, and its maxParallel is "
         + std::to_string(parallel_max);
}

} // namespace

verdict check_plans(const history& seen) {
  std::map<std::string, attempts> by_name;
  for (const auto& each : seen.attempts)
    if (!each.name.empty())
      by_name[each.name].push_back(&each);
  for (const auto& objective : seen.objectives) {
    attempts of_objective;
    for (const auto& plan : objective.plans) {
      attempts of_plan;
      for (const auto& task : plan.tasks) {
        const auto& own = by_name[task.name];
        of_plan.insert(of_plan.end(), own.begin(), own.end());
        for (const auto& on : task.dependencies)
          for (const auto* each : own) {
            const bool is_met = std::ranges::any_of(by_name[on], [&](const attempt* before) {
              return before->completed != 0 && before->completed < each->began;
            });
            if (!is_met)
              return "task " + each->task + " (" + task.name + ") began before " + on
                     + ", on which it depends, had completed";
          }
      }
      if (auto wrong = check_limit("plan " + plan.name, plan.parallel_max, of_plan))
        return wrong;
      of_objective.insert(of_objective.end(), of_plan.begin(), of_plan.end());
    }
    if (auto wrong = check_limit("objective " + objective.id, objective.parallel_max, of_objective))
      return wrong;
  }
  return std::nullopt;
}

} // namespace troupe::sim
