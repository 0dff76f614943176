// Builders of changes for the tests of the store: objectives from a shape, tasks and moves in one
// line.
#pragma once

#include "tests/support/recorder.hpp"
#include <troupe/protocol/event.hpp>
#include <troupe/store/store.hpp>

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

namespace troupe::testing {

inline timestamp at_ms(std::int64_t ms) {
  return timestamp{std::chrono::milliseconds{ms}};
}

/// A plan of `tasks` tasks with generated ids.
inline plan_spec_ptr make_plan(const objective_id& owner, std::size_t index, std::size_t tasks) {
  auto out = std::make_shared<plan_spec>();
  out->id = make_plan_id(owner, index);
  out->name = "plan " + std::to_string(index);
  for (std::size_t i = 0; i < tasks; ++i) {
    task_spec task;
    task.id = make_task_id(out->id, i);
    task.name = "task " + std::to_string(i);
    task.agent = "echo";
    out->tasks.push_back(std::move(task));
  }
  return out;
}

/// An objective with a plan of so many tasks for each number.
inline std::shared_ptr<objective_spec> make_objective(const std::string& id,
                                                      std::initializer_list<std::size_t> plans) {
  auto out = std::make_shared<objective_spec>();
  out->id = objective_id{id};
  out->name = "objective " + id;
  out->description = "for a test";
  for (const auto tasks : plans)
    out->plans.push_back(make_plan(out->id, out->plans.size(), tasks));
  return out;
}

/// An objective with one task, whose input is so many bytes.
inline std::shared_ptr<objective_spec> make_large_objective(const std::string& id,
                                                            std::size_t bytes) {
  auto out = make_objective(id, {1});
  auto plan = std::make_shared<plan_spec>(*out->plans[0]);
  plan->tasks.edit(0).input["text"] = std::string(bytes, 'x');
  out->plans[0] = std::move(plan);
  return out;
}

/// Facts about an objective.
template<class... Events>
change about(const std::string& objective, std::int64_t ms, Events... events) {
  change out;
  out.context = objective;
  out.at = at_ms(ms);
  (out.events.emplace_back(std::move(events)), ...);
  return out;
}

/// Facts about a task of a plan.
template<class... Events>
change about_task(const objective_spec& of, std::uint32_t plan, std::uint32_t task, std::int64_t ms,
                  Events... events) {
  auto out = about(of.id.str(), ms, std::move(events)...);
  out.task = {of.plans[plan]->tasks[task].id, false, plan, task};
  return out;
}

/// Facts about a lone task.
template<class... Events>
change about_lone(const std::string& id, const std::string& context, std::int64_t ms,
                  Events... events) {
  auto out = about(context, ms, std::move(events)...);
  out.task = {task_id{id}, true, 0, 0};
  return out;
}

inline message_ptr say(const std::string& text, role from = role::agent) {
  auto out = std::make_shared<message>();
  out->message_id = "m-" + text;
  out->from = from;
  out->parts.push_back(text_part(text));
  return out;
}

inline artifact_ptr output(const std::string& id, const std::string& text) {
  auto out = std::make_shared<artifact>();
  out->artifact_id = id;
  out->parts.push_back(text_part(text));
  return out;
}

inline task_created born(const objective_spec& of, std::uint32_t plan, std::uint32_t task_index,
                         std::int64_t ms) {
  auto record = std::make_shared<task>();
  record->id = of.plans[plan]->tasks[task_index].id;
  record->context = of.id.str();
  record->origin = {of.plans[plan], plan, task_index};
  record->agent = of.plans[plan]->tasks[task_index].agent;
  record->status.at = record->created = at_ms(ms);
  return {std::move(record)};
}

inline task_created born_lone(const std::string& id, const std::string& context, std::int64_t ms) {
  auto record = std::make_shared<task>();
  record->id = task_id{id};
  record->context = context;
  record->agent = "echo";
  record->status.at = record->created = at_ms(ms);
  record->history.push_back(say("hello", role::user));
  return {std::move(record)};
}

inline task_moved moved(task_state to, std::uint32_t attempt = 1, message_ptr message = nullptr) {
  return {to, attempt, std::move(message)};
}

} // namespace troupe::testing
