#include "protocol/fold/objective_shape.hpp"
#include "protocol/fold/shape_decider.hpp"
#include "protocol/json/quoted.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

result<void> shape_decider::apply_one(const add_task& wanted) {
  auto task = wanted.spec;
  if (plan_.spec->tasks.size() >= terms_.tasks_max)
    return refuse(errc::limit_exceeded,
                  "the plan has had " + std::to_string(plan_.spec->tasks.size())
                      + " tasks; the limit is " + std::to_string(terms_.tasks_max)
                      + " (maxTasksPerPlan)");
  if (!task.id.empty())
    return refuse(errc::invalid_params, "a task that is added gets its id here; name it by a key",
                  "/task/id");
  if (!task.key.empty() && shape_.find(task.key))
    return refuse(errc::duplicate_id, "the task id " + quoted(task.key) + " is used twice",
                  "/task/id");
  task.is_removed = false;
  task.dependency_indexes.clear();
  for (auto& text : task.dependencies) {
    const auto on = find(text, "/task/dependencies");
    if (!on)
      return on.error();
    if (auto ok = check_reachable(*on, "/task/dependencies"); !ok)
      return ok;
    if (std::ranges::find(task.dependency_indexes, *on) != task.dependency_indexes.end())
      return refuse(errc::invalid_params, "it depends on " + named(*on) + " twice",
                    "/task/dependencies");
    task.dependency_indexes.push_back(*on);
  }
  task.id = make_task_id(plan_.spec->id, plan_.spec->tasks.size());
  if (task.name.empty())
    task.name = task.key;
  if (!wanted.as.empty() && !aliases_.try_emplace(wanted.as, next_task()).second)
    return refuse(errc::duplicate_id, "the name " + quoted(wanted.as) + " is used twice", "/as");
  ++added_;
  note_name(next_task(), task.name, true);
  done(add_task{std::move(task)});
  may_break_references(next_task() - 1);
  return {};
}

result<void> shape_decider::apply_one(const remove_task<std::string>& wanted) {
  const auto task = find_for(change_kind::remove, wanted.task);
  if (!task)
    return task.error();
  if (auto ok = check_once(*task); !ok)
    return ok;
  if (terms_.is_awaited && terms_.is_awaited(*task))
    return refuse(errc::still_needed, "a task of another plan depends on " + named(*task), "/task");
  const auto dependents = std::vector(shape_.dependents(*task));
  if (wanted.dependents == dependents_rule::refuse && !dependents.empty())
    return refuse(errc::still_needed, list_of(dependents) + " on " + named(*task), "/task");
  if (wanted.dependents == dependents_rule::bridge)
    if (auto ok = bridge(*task, dependents); !ok)
      return ok;
  for (auto dependent = dependents.rbegin(); dependent != dependents.rend(); ++dependent) {
    may_break_references(*dependent);
    done(remove_dependency<std::uint32_t>{*dependent, *task});
  }
  const auto dependencies = spec(*task).dependency_indexes;
  for (const auto on : dependencies)
    if (on != elsewhere && has_dependency(spec(*task), on))
      done(remove_dependency<std::uint32_t>{*task, on});
  note_name(*task, spec(*task).name, false);
  done(remove_task<std::uint32_t>{*task});
  return {};
}

result<void> shape_decider::apply_one(const rename_task<std::string>& wanted) {
  const auto task = find_for(change_kind::edit, wanted.task);
  if (!task)
    return task.error();
  if (wanted.name.empty())
    return refuse(errc::invalid_params, "the name is empty", "/name");
  for (const auto dependent : shape_.dependents(*task))
    may_break_references(dependent);
  note_name(*task, wanted.name);
  done(rename_task<std::uint32_t>{*task, wanted.name});
  return {};
}

void shape_decider::note_name(std::uint32_t task, const std::string& name) {
  note_name(task, spec(task).name, false);
  note_name(task, name, true);
}

void shape_decider::note_name(std::uint32_t task, const std::string& name, bool has_it) {
  if (!shape_.has_names())
    return;
  auto& names = shape_.by_name(*plan_.spec);
  has_it ? names.add(name, task) : names.remove(name, task);
  if (had_names_)
    name_moves_.push_back({task, name, has_it});
}

void shape_decider::take_back_names() {
  if (!had_names_)
    return shape_.forget_names();
  auto& names = shape_.by_name(*before_.spec);
  for (auto each = name_moves_.rbegin(); each != name_moves_.rend(); ++each)
    each->has_it ? names.remove(each->name, each->task) : names.add(each->name, each->task);
}

result<void> shape_decider::apply_one(const set_deadline<std::string>& wanted) {
  const auto task = find_for(change_kind::edit, wanted.task);
  if (!task)
    return task.error();
  if (auto wrong = check_deadline(deadline_edit{wanted.deadline}, terms_.now))
    return refuse(wrong->code, wrong->message, "/deadline");
  done(set_deadline<std::uint32_t>{*task, wanted.deadline});
  return {};
}

result<void> shape_decider::apply_one(const set_priority<std::string>& wanted) {
  const auto task = find_for(change_kind::edit, wanted.task);
  if (!task)
    return task.error();
  done(set_priority<std::uint32_t>{*task, wanted.priority});
  return {};
}

result<void> shape_decider::apply_one(const put_task<std::string>& wanted) {
  if (wanted.task.empty()) {
    const auto named = find_named(wanted.spec.name, errc::invalid_params, "/task/name");
    if (!named)
      return named.error();
    return *named ? put(**named, wanted.spec) : apply_one(add_task{wanted.spec});
  }
  const auto found = shape_.find(wanted.task);
  return found ? put(*found, wanted.spec) : apply_one(add_task{wanted.spec});
}

result<void> shape_decider::apply_one(const replace_task& wanted) {
  const auto task = find(wanted.task);
  if (!task)
    return task.error();
  const auto effect = effect_of(change_kind::replace, *task);
  if (!effect)
    return effect.error();
  if (*effect == change_effect::renew)
    if (auto ok = renew(*task, true); !ok)
      return ok;
  return wanted.keeps_dependencies ? put_keeping(*task, wanted.spec) : put(*task, wanted.spec);
}

result<void> shape_decider::apply_one(const edit_plan& wanted) {
  done(edit_plan{wanted});
  return {};
}

result<void> shape_decider::put(std::uint32_t task, const task_spec& next) {
  if (const auto effect = effect_of(change_kind::edit, task); !effect)
    return effect.error();
  const auto inside = dependencies_inside(task, next);
  if (!inside)
    return inside.error();
  for (const auto on : std::vector(spec(task).dependency_indexes))
    if (on != elsewhere && std::ranges::find(*inside, on) == inside->end())
      done(remove_dependency<std::uint32_t>{task, on});
  for (const auto on : *inside)
    if (!has_dependency(spec(task), on))
      if (auto ok = depend({task, on}, "/task/dependencies", "/task/dependencies"); !ok)
        return ok;
  return put_keeping(task, next);
}

result<void> shape_decider::put_keeping(std::uint32_t task, const task_spec& next) {
  put_task<std::uint32_t> applied{task, next};
  if (next.name.empty())
    applied.spec.name = spec(task).name;
  if (spec(task).name != applied.spec.name) {
    for (const auto dependent : shape_.dependents(task))
      may_break_references(dependent);
    note_name(task, applied.spec.name);
  }
  may_break_references(task);
  replaced_.insert(task);
  applied.spec.id = {};
  applied.spec.key.clear();
  applied.spec.dependencies.clear();
  applied.spec.dependency_indexes.clear();
  done(std::move(applied));
  report_.replaced.push_back(plan_.task_at(task));
  return {};
}

} // namespace troupe
