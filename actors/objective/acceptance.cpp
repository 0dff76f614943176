#include "actors/objective/acceptance.hpp"

#include "actors/task/input_references.hpp"
#include "protocol/fold/operation_errors.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/opt/limits_opt.hpp"
#include "protocol/text/near_name.hpp"

#include <algorithm>

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

/// Also each agent to which that one may hand work. An agent that is not there has no field.
result<void> check_work(const std::string& name, const boost::json::object& input,
                        const agent_registry& agents) {
  const auto agent = agents.find(name);
  if (!agent)
    return make_error(errc::agent_not_found,
                      "no agent is named " + troupe::quoted(name) + choices(name, agents));
  if (auto ok = agent->check_input(input); !ok)
    return make_error(errc::invalid_params, ok.error().message, ok.error().field);
  return agent->check_handed_on(
      input, [&agents](const std::string& other, const boost::json::object& its_input) {
        return check_work(other, its_input, agents);
      });
}

result<void> check_task(const task_spec& task, std::size_t plan, std::size_t index,
                        const agent_registry& agents) {
  const auto who = "task " + troupe::quoted(label_of(task, index));
  const auto ok = check_work(agents.name_or_default(task.agent), task.input, agents);
  if (ok)
    return {};
  const auto& why = ok.error();
  if (why.code == errc::agent_not_found && why.field.empty())
    return make_error(why.code, who + ": " + why.message, task_pointer(plan, index) + "/agent");
  return make_error(why.code, who + ": input" + why.field + ": " + why.message,
                    task_pointer(plan, index) + "/input" + why.field);
}

// What the references of a task may refer to, before anything of it is made.
template<class SpecOf>
std::vector<dependency_result> dependencies_of(const resolved_plan& plan, const task_spec& task,
                                               const task_position& at, SpecOf spec_of) {
  std::vector<dependency_result> out;
  for (auto& one : plan.dependencies_of(at, task)) {
    const task_spec& other = spec_of(one.at);
    out.push_back(
        {other.id, other.key, other.name, {}, names_for_references(other, std::move(one.written))});
  }
  return out;
}

/// The dependencies of a task on tasks of its own plan, as it stands there.
std::vector<dependency_result> own_dependencies_of(const task_spec& task, const plan_spec& plan) {
  std::vector<dependency_result> out;
  for (std::size_t i = 0; i < task.dependency_indexes.size(); ++i)
    if (const auto on = task.dependency_indexes[i]; on != elsewhere) {
      const auto& other = plan.tasks[on];
      out.push_back({other.id,
                     other.key,
                     other.name,
                     {},
                     names_for_references(other, {task.dependencies[i]})});
    }
  return out;
}

/// The references of a plan's tasks. `spec_of(task_position)`: any task of the objective.
template<class SpecOf>
result<void> check_all_references(const plan_spec& plan, std::size_t index,
                                  const resolved_plan& resolved, SpecOf spec_of) {
  for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
    const auto& task = plan.tasks[t];
    if (!has_references(task.input))
      continue;
    const task_position place{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(t)};
    if (auto ok = check_references(task.input, dependencies_of(resolved, task, place, spec_of));
        !ok) {
      auto why = ok.error();
      return make_error(why.code, "task " + troupe::quoted(label_of(task, t)) + ": " + why.message,
                        task_pointer(index, t) + "/input" + why.field);
    }
  }
  return {};
}

result<void> check_plan_count(std::size_t plans) {
  if (plans <= opt::plans_per_objective_max)
    return {};
  return make_error(errc::limit_exceeded,
                    "the objective has " + std::to_string(plans) + " plans; the limit is "
                        + std::to_string(opt::plans_per_objective_max) + " (maxPlansPerObjective)",
                    "/plans");
}

result<void> check_chosen_id(const std::string& id, const std::string& own,
                             const std::string& where) {
  if (!has_generated_form(id) || id == own)
    return {};
  return make_error(errc::invalid_params,
                    "the id " + troupe::quoted(id)
                        + " ends like a generated id (.p0, .t0, .r1); choose another id or omit it",
                    where + "/id");
}

} // namespace

result<void> check_chosen_ids(const plan_spec& plan, const objective_id& objective,
                              std::optional<std::size_t> index) {
  auto own = index && !objective.empty() ? make_plan_id(objective, *index) : plan_id{};
  if (auto ok =
          check_chosen_id(plan.id.str(), own.str(), "/plans/" + std::to_string(index.value_or(0)));
      !ok)
    return ok;
  if (!plan.id.empty())
    own = plan.id;
  for (std::size_t t = 0; t < plan.tasks.size(); ++t)
    if (const auto& id = plan.tasks[t].id.str(); has_generated_form(id))
      if (auto ok = check_chosen_id(id, own.empty() ? "" : make_task_id(own, t).str(),
                                    task_pointer(index.value_or(0), t));
          !ok)
        return ok;
  return {};
}

void name_plan(plan_spec& plan, const objective_id& objective, std::size_t index) {
  if (plan.id.empty())
    plan.id = make_plan_id(objective, index);
  for (std::size_t t = 0; t < plan.tasks.size(); ++t)
    if (plan.tasks[t].id.empty())
      plan.tasks.edit(t).id = make_task_id(plan.id, t);
}

void note_dependencies(plan_spec& plan, std::uint32_t index, const resolved_plan& resolved,
                       const std::function<task_id(const task_position&)>& id_of) {
  plan.outside.clear();
  for (std::uint32_t t = 0; t < plan.tasks.size(); ++t) {
    if (plan.tasks[t].dependencies.empty() && plan.tasks[t].dependency_indexes.empty())
      continue;
    auto& indexes = plan.tasks.edit(t).dependency_indexes;
    indexes.clear();
    for (auto i = resolved.dependency_offsets[t]; i < resolved.dependency_offsets[t + 1]; ++i) {
      const auto& position = resolved.dependency_positions[i];
      indexes.push_back(position.plan == index ? position.task : elsewhere);
      if (position.plan != index)
        plan.outside.push_back({t, position.plan, position.task, id_of(position)});
    }
  }
}

result<void> check_plan(const plan_spec& plan, std::size_t index, const agent_registry& agents) {
  if (plan.tasks.size() > opt::tasks_per_plan_max)
    return make_error(errc::limit_exceeded,
                      "plan " + troupe::quoted(label_of(plan, index)) + " has "
                          + std::to_string(plan.tasks.size()) + " tasks; the limit is "
                          + std::to_string(opt::tasks_per_plan_max) + " (maxTasksPerPlan)",
                      "/plans/" + std::to_string(index) + "/tasks");
  for (std::size_t t = 0; t < plan.tasks.size(); ++t)
    if (auto ok = check_task(plan.tasks[t], index, t, agents); !ok)
      return ok;
  return {};
}

result<resolved_objective> check_objective(const std::vector<plan_spec_ptr>& plans,
                                           const agent_registry& agents) {
  if (auto ok = check_plan_count(plans.size()); !ok)
    return ok.error();
  for (std::size_t p = 0; p < plans.size(); ++p)
    if (auto ok = check_plan(*plans[p], p, agents); !ok)
      return ok.error();
  auto resolved = resolve_dependencies(plans);
  if (!resolved)
    return resolved;
  const auto spec_of = [&](const task_position& at) -> const task_spec& {
    return plans[at.plan]->tasks[at.task];
  };
  for (std::size_t p = 0; p < plans.size(); ++p)
    if (auto ok = check_all_references(*plans[p], p, resolved->plans[p], spec_of); !ok)
      return ok.error();
  return resolved;
}

result<resolved_addition> check_addition(const objective_index& known, const plan_spec_ptr& plan,
                                         const agent_registry& agents) {
  const auto index = known.plans().size();
  if (auto ok = check_plan_count(index + 1); !ok)
    return ok.error();
  if (auto ok = check_plan(*plan, index, agents); !ok)
    return ok.error();
  auto resolved = resolve_added_plan(known, plan);
  if (!resolved)
    return resolved;
  const auto spec_of = [&](const task_position& at) -> const task_spec& {
    return (at.plan == index ? plan : known.plans()[at.plan])->tasks[at.task];
  };
  if (auto ok = check_all_references(*plan, index, resolved->plan, spec_of); !ok)
    return ok.error();
  return resolved;
}

result<void> check_operations(const std::vector<wanted_operation>& operations,
                              const agent_registry& agents) {
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const auto* brought = spec_of(operations[i]);
    task_spec again;
    const auto* retried = std::get_if<retry_task<std::string>>(&operations[i]);
    if (retried && retried->with) {
      again = patched({}, *retried->with);
      brought = &again;
    }
    if (brought)
      if (auto ok = check_task(*brought, 0, 0, agents); !ok) {
        auto why = ok.error();
        why.message = "operation " + std::to_string(i) + ": " + why.message;
        why.field.replace(0, task_pointer(0, 0).size(),
                          "/operations/" + std::to_string(i) + "/task");
        return why;
      }
  }
  return {};
}

bool adds_keys(const std::vector<wanted_operation>& operations) {
  return std::ranges::any_of(operations, [](const wanted_operation& each) {
    const auto* brought = spec_of(each);
    return brought && !brought->key.empty();
  });
}

result<void> check_added_keys(const std::vector<wanted_operation>& operations, std::uint32_t plan,
                              const objective_index& known) {
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const auto* brought = spec_of(operations[i]);
    if (!brought || brought->key.empty())
      continue;
    const auto& key = brought->key;
    const auto known_task = known.find_task(key);
    if (known_task && known_task->plan == plan)
      continue; // It is that one, or used twice: the plan knows.
    if (auto ok = check_chosen_id(key, "", "/task"); !ok)
      return operation_error(i, ok.error().code, ok.error().message, ok.error().field);
    if (known_task)
      return operation_error(i, errc::duplicate_id,
                             "another plan has a task with the id " + troupe::quoted(key),
                             "/task/id");
  }
  return {};
}

result<void> check_changed_references(std::uint32_t task, const plan_spec* before,
                                      const plan_spec& changed) {
  const auto& spec = changed.tasks[task];
  if (!has_references(spec.input))
    return {};
  const auto after = own_dependencies_of(spec, changed);
  if (!before)
    return check_references(spec.input, after);
  return check_references_kept(spec.input, own_dependencies_of(before->tasks[task], *before),
                               after);
}

bool refers_to(std::uint32_t task, std::uint32_t on, const plan_spec& changed) {
  const auto& spec = changed.tasks[task];
  if (!has_references(spec.input))
    return false;
  auto without = spec;
  for (auto i = without.dependency_indexes.size(); i-- > 0;)
    if (without.dependency_indexes[i] == on) {
      const auto at = static_cast<std::ptrdiff_t>(i);
      without.dependency_indexes.erase(without.dependency_indexes.begin() + at);
      without.dependencies.erase(without.dependencies.begin() + at);
    }
  return !check_references_kept(spec.input, own_dependencies_of(spec, changed),
                                own_dependencies_of(without, changed));
}

result<void> check_cycles(std::vector<plan_spec_ptr> plans, std::uint32_t plan,
                          const plan_spec& changed) {
  plans[plan] = std::make_shared<plan_spec>(changed);
  if (auto resolved = resolve_dependencies(plans); !resolved)
    return resolved.error();
  return {};
}

result<resolved_objective> check_new_objective(const objective_spec& spec,
                                               const agent_registry& agents) {
  for (std::size_t p = 0; p < spec.plans.size(); ++p)
    if (auto ok = check_chosen_ids(*spec.plans[p], spec.id, p); !ok)
      return ok.error();
  return check_objective(spec.plans, agents);
}

} // namespace troupe
