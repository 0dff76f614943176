#include "actors/acceptance.hpp"

#include "actors/input_references.hpp"
#include "protocol/limits_opt.hpp"
#include "protocol/near_name.hpp"

namespace troupe {

namespace {

/// What to write instead of `name`: the agent that was probably meant, else all there are.
std::string choices(std::string_view name, const agent_registry& agents) {
  const auto names = agents.names();
  std::string out = did_you_mean(name, std::vector<std::string_view>(names.begin(), names.end()));
  if (!out.empty())
    return out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out.append(i == 0 ? "; there are: " : ", ").append(names[i]);
  return out;
}

result<void> check_task(const task_spec& task, std::size_t plan, std::size_t index, const agent_registry& agents) {
  const auto who = "task \"" + label_of(task, index) + "\"";
  const auto& name = agents.name_or_default(task.agent);
  const auto agent = agents.find(name);
  if (!agent)
    return make_error(errc::agent_not_found,
                      who + ": no agent is named \"" + name + "\"" + choices(name, agents),
                      task_pointer(plan, index) + "/agent");
  if (auto ok = agent->check_input(task.input); !ok) {
    auto why = ok.error();
    return make_error(errc::invalid_params, who + ": " + why.message, task_pointer(plan, index) + "/input" + why.field);
  }
  return {};
}

// What the references of a task may refer to, before anything of it is made.
std::vector<dependency_result> dependencies_of(const std::vector<plan_spec_ptr>& plans, const resolved_plan& plan,
                                               const task_spec& task, std::size_t index) {
  std::vector<dependency_result> out;
  for (auto& one : plan.dependencies_of(static_cast<std::uint32_t>(index), task)) {
    const auto& other = plans[one.at.plan]->tasks[one.at.task];
    out.push_back({other.id, other.key, other.name, {}, names_for_references(other, std::move(one.written))});
  }
  return out;
}

result<void> check_chosen_id(const std::string& id, const std::string& own, const std::string& where) {
  if (!has_generated_form(id) || id == own)
    return {};
  return make_error(errc::invalid_params,
                    "the id \"" + id + "\" ends like those that are made here (.p0, .t0, .r1) and could be given away again; choose another or leave it out",
                    where + "/id");
}

} // namespace

result<void> check_chosen_ids(const plan_spec& plan, const objective_id& objective, std::optional<std::size_t> index) {
  auto own = index && !objective.empty() ? make_plan_id(objective, *index) : plan_id{};
  if (auto ok = check_chosen_id(plan.id.str(), own.str(), "/plans/" + std::to_string(index.value_or(0))); !ok)
    return ok;
  if (!plan.id.empty())
    own = plan.id;
  for (std::size_t t = 0; t < plan.tasks.size(); ++t)
    if (const auto& id = plan.tasks[t].id.str(); has_generated_form(id))
      if (auto ok = check_chosen_id(id, own.empty() ? "" : make_task_id(own, t).str(), task_pointer(index.value_or(0), t)); !ok)
        return ok;
  return {};
}

void name_plan(plan_spec& plan, const objective_id& objective, std::size_t index) {
  if (plan.id.empty())
    plan.id = make_plan_id(objective, index);
  for (std::size_t t = 0; t < plan.tasks.size(); ++t)
    if (plan.tasks[t].id.empty())
      plan.tasks[t].id = make_task_id(plan.id, t);
}

void note_dependencies(plan_spec& plan, std::uint32_t index, const resolved_plan& resolved) {
  for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
    auto& indexes = plan.tasks[t].dependency_indexes;
    indexes.clear();
    for (auto i = resolved.dependency_offsets[t]; i < resolved.dependency_offsets[t + 1]; ++i) {
      const auto& position = resolved.dependency_positions[i];
      indexes.push_back(position.plan == index ? position.task : elsewhere);
    }
  }
}

result<void> check_plan(const plan_spec& plan, std::size_t index, const agent_registry& agents) {
  if (plan.tasks.size() > opt::tasks_per_plan_max)
    return make_error(errc::limit_exceeded,
                      "plan \"" + label_of(plan, index) + "\" has " + std::to_string(plan.tasks.size())
                          + " tasks; the limit is " + std::to_string(opt::tasks_per_plan_max) + " (maxTasksPerPlan)",
                      "/plans/" + std::to_string(index) + "/tasks");
  for (std::size_t t = 0; t < plan.tasks.size(); ++t)
    if (auto ok = check_task(plan.tasks[t], index, t, agents); !ok)
      return ok;
  return {};
}

result<resolved_objective> check_objective(const std::vector<plan_spec_ptr>& plans, const agent_registry& agents) {
  if (plans.size() > opt::plans_per_objective_max)
    return make_error(errc::limit_exceeded,
                      "the objective has " + std::to_string(plans.size()) + " plans; the limit is "
                          + std::to_string(opt::plans_per_objective_max) + " (maxPlansPerObjective)",
                      "/plans");
  for (std::size_t p = 0; p < plans.size(); ++p)
    if (auto ok = check_plan(*plans[p], p, agents); !ok)
      return ok.error();
  auto resolved = resolve_dependencies(plans);
  if (!resolved)
    return resolved;
  for (std::size_t p = 0; p < plans.size(); ++p)
    for (std::size_t t = 0; t < plans[p]->tasks.size(); ++t) {
      const auto& task = plans[p]->tasks[t];
      if (!has_references(task.input))
        continue;
      if (auto ok = check_references(task.input, dependencies_of(plans, resolved->plans[p], task, t)); !ok) {
        auto why = ok.error();
        return make_error(why.code, "task \"" + label_of(task, t) + "\": " + why.message,
                          task_pointer(p, t) + "/input" + why.field);
      }
    }
  return resolved;
}

result<resolved_objective> check_new_objective(const objective_spec& what, const agent_registry& agents) {
  for (std::size_t p = 0; p < what.plans.size(); ++p)
    if (auto ok = check_chosen_ids(*what.plans[p], what.id, p); !ok)
      return ok.error();
  return check_objective(what.plans, agents);
}

objective_view new_view(const objective_spec& spec, timestamp at) {
  objective_view view;
  view.id = spec.id;
  view.name = spec.name;
  view.description = spec.description;
  view.parallel_max = spec.parallel_max;
  view.metadata = spec.metadata;
  view.created = view.updated = at;
  for (const auto& plan : spec.plans) {
    plan_view one;
    one.spec = plan;
    one.created = one.updated = at;
    one.tasks.resize(plan->tasks.size());
    view.plans.push_back(std::move(one));
  }
  return view;
}

} // namespace troupe
