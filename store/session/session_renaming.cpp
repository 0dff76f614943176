#include "store/session/session_renaming.hpp"

#include <troupe/protocol/plan_change.hpp>
#include <troupe/protocol/task_life.hpp>

#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

namespace troupe::sessions {

session_renaming::session_renaming(objective_id from, objective_id to, task_id root)
    : from_(std::move(from)), to_(std::move(to)), root_(std::move(root)) {
  ids_[from_.str()] = to_.str();
}

/// Also of a task that was renewed (`….r2`), and of a question (`<task>.question-1`).
std::string session_renaming::new_id(const std::string& id) const {
  if (const auto found = ids_.find(id); found != ids_.end())
    return found->second;
  const auto dot = id.rfind('.');
  if (dot == std::string::npos || dot == 0)
    return id;
  const auto ending = std::string_view{id}.substr(dot);
  const bool is_ours =
      ending.starts_with(".question-") || (ending.starts_with(".r") && has_generated_form(id));
  if (!is_ours)
    return id;
  const auto head = id.substr(0, dot);
  auto renamed = new_id(head);
  return renamed == head ? id : renamed.append(ending);
}

void session_renaming::replace_all(std::vector<std::string>& ids) const {
  for (auto& id : ids)
    replace(id);
}

/// With the ids of its place. What refers to others is still as it was.
plan_spec session_renaming::named(const plan_spec& plan) {
  auto out = plan;
  const auto id = make_plan_id(to_, plan_ids_.size());
  if (out.key.empty() && !is_generated(out.id, from_, plan_ids_.size()))
    out.key = out.id.str();
  ids_[out.id.str()] = id.str();
  for (std::size_t i = 0; i < out.tasks.size(); ++i) {
    auto& task = out.tasks.edit(i);
    if (task.key.empty() && !is_generated(task.id, out.id, i))
      task.key = task.id.str();
    const auto task_now = make_task_id(id, i);
    ids_[task.id.str()] = task_now.str();
    task.id = task_now;
  }
  out.id = id;
  plan_ids_.push_back(id);
  plan_tasks_.push_back(out.tasks.size());
  return out;
}

void session_renaming::refer(task_spec& task) const {
  replace_all(task.dependencies);
}

void session_renaming::refer(plan_spec& plan) const {
  for (std::size_t i = 0; i < plan.tasks.size(); ++i)
    if (!plan.tasks[i].dependencies.empty())
      refer(plan.tasks.edit(i));
  replace_all(plan.dependencies);
  replace_all(plan.alternatives);
  for (std::size_t i = 0; i < plan.outside.size(); ++i)
    replace(plan.outside.edit(i).on);
}

message_ptr session_renaming::renamed(const message_ptr& said) const {
  if (!said)
    return said;
  auto out = std::make_shared<message>(*said);
  replace(out->context_id);
  replace(out->task_id);
  replace_all(out->reference_task_ids);
  if (auto* question = out->metadata.if_contains(question_id_key);
      question != nullptr && question->is_string()) {
    const std::string id{question->get_string().data(), question->get_string().size()};
    *question = new_id(id);
  }
  return out;
}

void session_renaming::rename(event& one, const change& where) {
  if (auto* created = std::get_if<objective_created>(&one)) {
    auto spec = std::make_shared<objective_spec>(*created->spec);
    spec->id = to_;
    std::vector<plan_spec> plans;
    for (const auto& plan : spec->plans)
      plans.push_back(named(*plan));
    for (std::size_t i = 0; i < plans.size(); ++i) {
      refer(plans[i]);
      spec->plans[i] = std::make_shared<plan_spec>(std::move(plans[i]));
    }
    spec->references = renamed(spec->references);
    created->spec = std::move(spec);
    if (!created->root_task.empty()) {
      ids_[created->root_task.str()] = root_.str();
      created->root_task = root_;
    }
  } else if (auto* added = std::get_if<plan_added>(&one)) {
    auto spec = named(*added->spec);
    refer(spec);
    added->spec = std::make_shared<plan_spec>(std::move(spec));
  } else if (auto* changed = std::get_if<plan_changed>(&one)) {
    for (auto& operation : changed->operations) {
      if (auto* task = std::get_if<add_task>(&operation);
          task != nullptr && changed->plan < plan_ids_.size()) {
        auto& spec = task->spec;
        const auto now = make_task_id(plan_ids_[changed->plan], plan_tasks_[changed->plan]++);
        if (!spec.id.empty())
          ids_[spec.id.str()] = now.str();
        spec.id = now;
        refer(spec);
      } else if (auto* put = std::get_if<put_task<std::uint32_t>>(&operation)) {
        refer(put->spec);
      }
    }
  } else if (auto* born = std::get_if<task_created>(&one)) {
    auto record = std::make_shared<task>(*born->record);
    record->id = where.task.id; // Which is the new one.
    replace(record->context);
    if (record->status.message)
      record->status.message = renamed(record->status.message);
    for (auto& said : record->history)
      said = renamed(said);
    for (const auto* name : {"opt/v1/objectiveId", "opt/v1/planId"}) // Of a root task.
      if (auto* id = record->metadata.if_contains(name); id != nullptr && id->is_string())
        *id = new_id({id->get_string().data(), id->get_string().size()});
    born->record = std::move(record);
  } else if (auto* moved = std::get_if<task_moved>(&one)) {
    moved->message = renamed(moved->message);
  } else if (auto* said = std::get_if<task_message>(&one)) {
    said->message = renamed(said->message);
  }
}

change session_renaming::renamed(change news) {
  for (auto& one : news.events) // First: it tells new ids.
    if (std::holds_alternative<objective_created>(one) || std::holds_alternative<plan_added>(one)
        || std::holds_alternative<plan_changed>(one))
      rename(one, news);
  replace(news.context);
  replace(news.task.id);
  for (auto& one : news.events)
    if (!std::holds_alternative<objective_created>(one) && !std::holds_alternative<plan_added>(one)
        && !std::holds_alternative<plan_changed>(one))
      rename(one, news);
  return news;
}

} // namespace troupe::sessions
