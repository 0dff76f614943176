#include "store/apply.hpp"

#include <algorithm>
#include <type_traits>

#include "store/limits.hpp"
#include "store/unshared.hpp"

namespace troupe {

namespace {

void join_history(task& record, message_ptr what) {
  auto& history = record.history;
  if (record.history_bytes == 0)
    for (const auto& each : history)
      record.history_bytes += bytes_of(*each);
  record.history_bytes += bytes_of(*what);
  history.push_back(std::move(what));
  auto kept = history.begin();
  while (history.end() - kept > std::ptrdiff_t{history_messages_max}
         || (history.end() - kept > 1 && record.history_bytes > history_bytes_max))
    record.history_bytes -= bytes_of(**kept++);
  history.erase(history.begin(), kept);
}

/// Appending to an artifact in many small pieces must not copy it each time, so the record's own copy grows in place.
artifact& own(artifact_ptr& held) {
  if (!is_unshared(held))
    held = std::make_shared<artifact>(*held);
  return const_cast<artifact&>(*held);
}

void append_parts(artifact_ptr& to, const artifact& from) {
  auto& grown = own(to);
  grown.parts.insert(grown.parts.end(), from.parts.begin(), from.parts.end());
  for (const auto& extension : from.extensions)
    if (std::find(grown.extensions.begin(), grown.extensions.end(), extension) == grown.extensions.end())
      grown.extensions.push_back(extension);
  for (const auto& member : from.metadata)
    grown.metadata[member.key()] = member.value();
}

plan_view* plan_at(objective_view& view, std::uint32_t index) noexcept {
  return index < view.plans.size() ? &view.plans[index] : nullptr;
}

task_slot* slot_at(objective_view& view, const task_address& where) noexcept {
  auto* plan = where.lone ? nullptr : plan_at(view, where.plan_index);
  return plan && where.task_index < plan->tasks.size() ? &plan->tasks[where.task_index] : nullptr;
}

void touch(objective_view& view, std::uint32_t plan, timestamp at) noexcept {
  view.updated = at;
  if (auto* found = plan_at(view, plan))
    found->updated = at;
}

void add_plan(objective_view& view, const plan_spec_ptr& spec, timestamp at) {
  auto& plan = view.plans.emplace_back();
  plan.spec = spec;
  plan.created = plan.updated = at;
  plan.tasks.resize(spec->tasks.size());
}

void drop_question(objective_view& view, const task_id& of) {
  std::erase_if(view.pending_inputs, [&](const pending_input& input) { return input.task == of; });
}

} // namespace

void apply(task& record, const change& where, const task_moved& what) {
  if (record.status.message)
    join_history(record, std::move(record.status.message));
  record.status = task_status{what.to, what.message, where.at};
  record.attempt = what.attempt;
  record.awaits_retry = what.failures > record.failures && !is_terminal(what.to);
  record.failures = what.failures;
  if (is_terminal(what.to))
    record.progress = nullptr;
}

void apply(task& record, const change&, const task_message& what) {
  if (what.what)
    join_history(record, what.what);
}

void apply(task& record, const change&, const task_artifact& what) {
  if (!what.what)
    return;
  const auto found = std::find_if(record.artifacts.begin(), record.artifacts.end(), [&](const artifact_ptr& held) {
    return held->artifact_id == what.what->artifact_id;
  });
  if (found == record.artifacts.end())
    record.artifacts.push_back(what.what);
  else if (what.append)
    append_parts(*found, *what.what);
  else
    *found = what.what;
}

void apply(task& record, const change&, const task_progress& what) {
  if (!is_terminal(record.status.state))
    record.progress = what.what;
}

void apply_events(task& record, const change& what) {
  for (const auto& fact : what.events)
    std::visit(
        [&](const auto& kind) {
          if constexpr (requires { apply(record, what, kind); })
            apply(record, what, kind);
        },
        fact);
}

void apply(objective_view& view, const change& where, const objective_created& what) {
  view.id = objective_id{where.context};
  view.owner = what.owner;
  view.root_task = what.root_task;
  view.state = objective_state::submitted;
  view.created = view.updated = where.at;
  if (!what.spec)
    return;
  view.name = what.spec->name;
  view.description = what.spec->description;
  view.parallel_max = what.spec->parallel_max;
  view.metadata = what.spec->metadata;
  view.plans.clear();
  view.plans.reserve(what.spec->plans.size());
  for (const auto& plan : what.spec->plans)
    add_plan(view, plan, where.at);
}

void apply(objective_view& view, const change& where, const objective_edited& what) {
  if (what.name.empty() && what.description.empty())
    return;
  if (!what.name.empty())
    view.name = what.name;
  if (!what.description.empty())
    view.description = what.description;
  view.updated = where.at;
  ++view.revision;
}

void apply(objective_view& view, const change& where, const objective_moved& what) {
  set_state(view, what.to);
  view.reason = what.reason;
  view.updated = where.at;
}

void apply(objective_view& view, const change& where, const plan_added& what) {
  if (!what.spec)
    return;
  add_plan(view, what.spec, where.at);
  view.plans.back().start_requested = what.start;
  view.updated = where.at;
  ++view.revision;
}

void apply(objective_view& view, const change& where, const plan_moved& what) {
  auto* plan = plan_at(view, what.plan);
  if (!plan)
    return;
  plan->state = what.to;
  plan->reason = what.reason;
  plan->skip_requested = what.requested;
  plan->start_requested = plan->start_requested && what.to != plan_state::working;
  plan->paused = plan->paused && !is_settled(what.to);
  touch(view, what.plan, where.at);
}

void apply(objective_view& view, const change& where, const tasks_withdrawn& what) {
  auto* plan = plan_at(view, what.plan);
  if (!plan)
    return;
  for (const auto index : what.tasks)
    if (index < plan->tasks.size())
      plan->tasks[index].state = what.to;
  touch(view, what.plan, where.at);
}

void apply(objective_view& view, const change& where, const tasks_renewed& what) {
  auto* plan = plan_at(view, what.plan);
  if (!plan)
    return;
  for (const auto index : what.tasks) {
    if (index >= plan->tasks.size())
      continue;
    auto& slot = plan->tasks[index];
    slot = task_slot{.state = task_state::unspecified, .has_artifacts = false, .generation = slot.generation + 1, .attempt = 0};
  }
  touch(view, what.plan, where.at);
  ++view.revision;
}

void apply(objective_view& view, const change& where, const pause_changed& what) {
  set_pause(view, what.paused, what.plan);
  view.updated = where.at;
}

void apply(objective_view& view, const change& where, const objective_closing& what) {
  view.closing = what.to;
  view.closing_reason = what.reason;
  view.updated = where.at;
}

void apply(objective_view& view, const change& where, const task_created& what) {
  auto* slot = slot_at(view, where.task);
  if (!slot || !what.record)
    return;
  slot->state = what.record->status.state;
  slot->attempt = what.record->attempt;
  slot->has_artifacts = !what.record->artifacts.empty();
  touch(view, where.task.plan_index, where.at);
}

void apply(objective_view& view, const change& where, const task_moved& what) {
  auto* slot = slot_at(view, where.task);
  if (!slot)
    return;
  if (is_interrupted(slot->state))
    drop_question(view, where.task.id);
  slot->state = what.to;
  slot->attempt = what.attempt;
  if (is_interrupted(what.to))
    view.pending_inputs.push_back(
        {where.task.id, what.message ? text_of(what.message->parts) : std::string{}, where.at});
  touch(view, where.task.plan_index, where.at);
}

void apply(objective_view& view, const change& where, const task_artifact&) {
  auto* slot = slot_at(view, where.task);
  if (!slot)
    return;
  slot->has_artifacts = true;
  touch(view, where.task.plan_index, where.at);
}

void apply_events(objective_view& view, const change& what) {
  for (const auto& fact : what.events)
    std::visit(
        [&](const auto& kind) {
          if constexpr (requires { apply(view, what, kind); })
            apply(view, what, kind);
        },
        fact);
}

const std::shared_ptr<task>* created_record(const change& what) noexcept {
  if (what.events.empty())
    return nullptr;
  const auto* made = std::get_if<task_created>(&what.events.front());
  return made && made->record ? &made->record : nullptr;
}

bool ends_task(const change& what) noexcept {
  for (auto fact = what.events.rbegin(); fact != what.events.rend(); ++fact)
    if (const auto* moved = std::get_if<task_moved>(&*fact))
      return is_terminal(moved->to);
  const auto* made = created_record(what);
  return made && is_terminal((*made)->status.state);
}

const objective_created* created_objective(const change& what) noexcept {
  return what.events.empty() ? nullptr : std::get_if<objective_created>(&what.events.front());
}

} // namespace troupe
