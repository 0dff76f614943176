#include "apps/plan/only_tasks.hpp"

#include "apps/terminal/shown_name.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/near_name.hpp"
#include <troupe/protocol/unshared.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

namespace troupe {

namespace {

/// What is kept of the plans.
class kept_tasks {
public:
  kept_tasks(const objective_spec& spec, const resolved_objective& edges)
      : spec_(spec), edges_(edges), plans_(spec.plans.size()) {
    for (std::size_t p = 0; p < plans_.size(); ++p)
      plans_[p].tasks.resize(spec.plans[p]->tasks.size(), false);
  }

  void need_task(task_position at) {
    if (plans_[at.plan].tasks[at.task])
      return;
    plans_[at.plan].tasks[at.task] = true;
    open_.push_back(at);
    if (std::exchange(plans_[at.plan].is_needed, true))
      return;
    for (const auto on : edges_.plans[at.plan].dependencies)
      need_plan(on);
  }

  void follow_dependencies() {
    while (!open_.empty()) {
      const auto at = open_.back();
      open_.pop_back();
      const auto& edges = edges_.plans[at.plan];
      for (auto i = edges.dependency_offsets[at.task]; i < edges.dependency_offsets[at.task + 1];
           ++i)
        need_task(edges.dependency_positions[i]);
    }
  }

  [[nodiscard]] bool has_plan(std::size_t plan) const { return plans_[plan].is_needed; }
  [[nodiscard]] bool has_task(task_position at) const { return plans_[at.plan].tasks[at.task]; }
  /// It must complete, so that its alternatives count.
  [[nodiscard]] bool is_whole(std::size_t plan) const { return plans_[plan].is_whole; }

private:
  struct kept_plan {
    bool is_needed = false;
    bool is_whole = false;
    std::vector<bool> tasks;
  };

  void need_plan(std::uint32_t plan) {
    if (std::exchange(plans_[plan].is_whole, true))
      return;
    for (std::uint32_t t = 0; t < plans_[plan].tasks.size(); ++t)
      need_task({plan, t});
    for (const auto other : edges_.plans[plan].alternatives)
      need_plan(other);
  }

  const objective_spec& spec_;
  const resolved_objective& edges_;
  std::vector<kept_plan> plans_;
  std::vector<task_position> open_; ///< Their dependencies are to be followed.
};

result<task_position> find_task(const objective_spec& spec, const std::string& name) {
  std::vector<task_position> found;
  std::vector<std::string> names;
  for (std::uint32_t p = 0; p < spec.plans.size(); ++p)
    for (std::uint32_t t = 0; t < spec.plans[p]->tasks.size(); ++t) {
      const auto& task = spec.plans[p]->tasks[t];
      const auto shown = shown_name(task, t);
      const auto place = shown_name(*spec.plans[p], p) + " / " + shown;
      if (name == task.key || name == shown || name == place)
        found.push_back({p, t});
      names.push_back(task.key.empty() ? shown : task.key);
    }
  if (found.size() == 1)
    return found.front();
  if (!found.empty())
    return make_error(errc::invalid_params, "--only " + name + ": " + std::to_string(found.size())
                                                + " tasks have this name; write Plan / Task");
  const std::vector<std::string_view> known(names.begin(), names.end());
  return make_error(errc::invalid_params, "--only " + name + ": no task of " + spec.name
                                              + " has this id or name" + did_you_mean(name, known));
}

bool refers_by_position(const task_spec& task) {
  const auto text = boost::json::serialize(task.input);
  return text.find("${tasks.task-") != std::string::npos
         || text.find("${tasks.plan-") != std::string::npos;
}

/// The new position of each old one.
std::vector<std::uint32_t> positions(std::size_t size, const auto& is_kept) {
  std::vector<std::uint32_t> out(size, 0);
  std::uint32_t next = 0;
  for (std::uint32_t i = 0; i < size; ++i)
    out[i] = is_kept(i) ? next++ : next;
  return out;
}

} // namespace

result<void> keep_only(objective_spec& spec, const resolved_objective& edges,
                       const std::vector<std::string>& names) {
  kept_tasks kept(spec, edges);
  for (const auto& name : names) {
    const auto at = find_task(spec, name);
    if (!at)
      return at.error();
    kept.need_task(*at);
  }
  kept.follow_dependencies();
  const auto count = spec.plans.size();
  const auto new_plan = positions(count, [&](std::size_t p) { return kept.has_plan(p); });
  std::vector<std::vector<std::uint32_t>> new_task;
  for (std::uint32_t p = 0; p < count; ++p)
    new_task.push_back(positions(spec.plans[p]->tasks.size(), [&](std::uint32_t t) {
      return kept.has_task({p, t});
    }));
  const auto plan_name = [&](std::uint32_t p) { return "plan-" + std::to_string(new_plan[p]); };
  std::vector<plan_spec_ptr> plans;
  for (std::uint32_t p = 0; p < count; ++p) {
    if (!kept.has_plan(p))
      continue;
    const auto& old = *spec.plans[p];
    auto plan = std::make_shared<plan_spec>(old);
    plan->tasks = {};
    plan->outside = {};
    plan->dependencies.clear();
    plan->alternatives.clear();
    for (const auto on : edges.plans[p].dependencies)
      plan->dependencies.push_back(plan_name(on));
    if (kept.is_whole(p))
      for (const auto other : edges.plans[p].alternatives)
        plan->alternatives.push_back(plan_name(other));
    for (std::uint32_t t = 0; t < old.tasks.size(); ++t) {
      if (!kept.has_task({p, t}))
        continue;
      auto task = old.tasks[t];
      const bool has_moved = new_task[p][t] != t || new_plan[p] != p;
      if (has_moved && refers_by_position(task))
        return make_error(errc::invalid_reference,
                          "--only: the task " + troupe::quoted(shown_name(task, t))
                              + " refers to another one by its position; use its name");
      task.dependencies.clear();
      task.dependency_indexes.clear();
      const auto& own = edges.plans[p];
      for (auto i = own.dependency_offsets[t]; i < own.dependency_offsets[t + 1]; ++i) {
        const auto& on = own.dependency_positions[i];
        task.dependencies.push_back(plan_name(on.plan) + "/task-"
                                    + std::to_string(new_task[on.plan][on.task]));
      }
      plan->tasks.push_back(std::move(task));
    }
    plans.push_back(std::move(plan));
  }
  spec.plans = std::move(plans);
  return {};
}

} // namespace troupe
