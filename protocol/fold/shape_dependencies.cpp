#include "protocol/fold/shape_decider.hpp"
#include "protocol/json/quoted.hpp"

#include <algorithm>
#include <type_traits>

namespace troupe {

namespace {

/// Tasks of a cycle that a message names.
constexpr std::size_t cycle_tasks_shown_max = 10;

} // namespace

template<template<class> class Operation>
result<Operation<std::uint32_t>>
shape_decider::find_ends(const Operation<std::string>& wanted) const {
  const auto task = find_for(std::is_same_v<Operation<std::string>, add_dependency<std::string>>
                                 ? change_kind::depend
                                 : change_kind::free,
                             wanted.task);
  if (!task)
    return task.error();
  const auto on = find(wanted.on, "/on");
  if (!on)
    return on.error();
  return Operation<std::uint32_t>{*task, *on};
}

std::string shape_decider::list_of(const std::vector<std::uint32_t>& tasks) const {
  return names_of(tasks) + (tasks.size() == 1 ? " depends" : " depend");
}

result<void> shape_decider::bridge(std::uint32_t task,
                                   const std::vector<std::uint32_t>& dependents) {
  if (dependents.empty())
    return {};
  const auto before = spec(task).dependency_indexes;
  if (std::ranges::find(before, elsewhere) != before.end())
    return refuse(errc::invalid_params,
                  "cannot bridge: " + named(task) + " depends on a task of another plan",
                  "/bridge");
  for (const auto dependent : dependents)
    for (const auto on : before)
      if (!has_dependency(spec(dependent), on))
        if (auto ok = depend({dependent, on}, "/bridge", "/bridge"); !ok)
          return ok;
  return {};
}

result<void> shape_decider::apply_one(const add_dependency<std::string>& wanted) {
  const auto found = find_ends(wanted);
  if (!found)
    return found.error();
  const auto [task, on] = *found;
  if (has_dependency(spec(task), on))
    return refuse(errc::invalid_params, named(task) + " depends on " + named(on) + " already");
  return depend(*found, "/on", "");
}

std::string shape_decider::cycle_of(const add_dependency<std::uint32_t>& added) const {
  std::string out;
  auto way = shape_.path(*plan_.spec, added.on, added.task);
  std::ranges::reverse(way);
  for (std::size_t i = 0; i < std::min(way.size(), cycle_tasks_shown_max); ++i)
    out += quoted(label(way[i])) + " -> ";
  if (way.size() > cycle_tasks_shown_max)
    out += "... (" + std::to_string(way.size() - cycle_tasks_shown_max) + " more) -> ";
  return out + quoted(label(added.task));
}

error shape_decider::refuse_cycle(const add_dependency<std::uint32_t>& added,
                                  std::string_view whole) const {
  return refuse(errc::dependency_cycle,
                added.on == added.task ? named(added.task) + " would depend on itself"
                                       : "they would form a cycle: " + cycle_of(added),
                whole);
}

result<void> shape_decider::check_unsearched() {
  const auto cycle = shape_.cycle(*plan_.spec);
  if (cycle.empty())
    return {};
  const auto is_in_cycle = [&](const unsearched& each) {
    const auto task = std::ranges::find(cycle, each.added.task);
    if (task == cycle.end())
      return false;
    return each.added.on == (task + 1 == cycle.end() ? cycle.front() : *(task + 1));
  };
  // Without these dependencies there is no cycle, so one of them is found.
  const auto last = std::find_if(unsearched_.rbegin(), unsearched_.rend(), is_in_cycle);
  at_ = last->at;
  return refuse_cycle(last->added, last->whole);
}

result<void> shape_decider::depend(const add_dependency<std::uint32_t>& added, std::string_view on,
                                   std::string_view whole) {
  if (auto ok = check_reachable(added.on, on); !ok)
    return ok;
  if (added.on != added.task && shape_.looked_at() >= searches_until_)
    unsearched_.push_back({added, at_, whole});
  else if (shape_.depends(*plan_.spec, added.on, added.task))
    return refuse_cycle(added, whole);
  adds_dependencies_ = true;
  may_break_references(added.task);
  done(added);
  return {};
}

result<void> shape_decider::apply_one(const remove_dependency<std::string>& wanted) {
  const auto found = find_ends(wanted);
  if (!found)
    return found.error();
  const auto [task, on] = *found;
  if (!has_dependency(spec(task), on))
    return refuse(errc::unknown_dependency, named(task) + " does not depend on " + named(on),
                  "/on");
  may_break_references(task);
  done(*found);
  return {};
}

result<std::vector<std::uint32_t>> shape_decider::dependencies_inside(std::uint32_t task,
                                                                      const task_spec& next) const {
  const auto is_outside = names_outside(task);
  std::vector<std::uint32_t> inside;
  std::size_t outside = 0;
  for (const auto& text : next.dependencies) {
    if (is_outside.contains(text)) {
      ++outside;
      continue;
    }
    const auto on = find(text, "/task/dependencies");
    if (!on)
      return on.error();
    if (std::ranges::find(inside, *on) != inside.end())
      return refuse(errc::invalid_params, "it depends on " + named(*on) + " twice",
                    "/task/dependencies");
    inside.push_back(*on);
  }
  if (outside
      != static_cast<std::size_t>(std::ranges::count(spec(task).dependency_indexes, elsewhere)))
    return refuse(errc::invalid_params,
                  named(task)
                      + " keeps its dependencies on tasks of other plans; name each of "
                        "them once",
                  "/task/dependencies");
  return inside;
}

std::unordered_set<std::string> shape_decider::names_outside(std::uint32_t task) const {
  std::unordered_set<std::string> out;
  const auto& of = spec(task);
  for (std::size_t i = 0; i < of.dependency_indexes.size(); ++i)
    if (of.dependency_indexes[i] == elsewhere)
      out.insert(of.dependencies[i]);
  const auto& outside = plan_.spec->outside;
  const auto before = [](const outside_dependency& each, std::uint32_t at) {
    return each.task < at;
  };
  for (auto at = std::lower_bound(outside.begin(), outside.end(), task, before);
       at != outside.end() && (*at).task == task; ++at)
    out.insert((*at).on.str());
  return out;
}

} // namespace troupe
