#include "protocol/fold/apply_parts.hpp"
#include "protocol/fold/rollup.hpp"
#include <troupe/protocol/unshared.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace troupe {

namespace {

/// The plan has begun and not ended.
bool goes_on(plan_state state) noexcept {
  return state == plan_state::working || state == plan_state::blocked;
}

std::uint32_t since_creation(const plan_view& plan, timestamp at) noexcept {
  constexpr std::int64_t largest = std::numeric_limits<std::uint32_t>::max();
  const std::int64_t passed{(at - plan.created).count()};
  return static_cast<std::uint32_t>(std::clamp(passed, std::int64_t{0}, largest));
}

void set_state(plan_view& plan, task_summary& summary, task_state to, timestamp at) noexcept {
  summary.state = to;
  summary.changed_ms = since_creation(plan, at);
  plan.updated = at;
}

/// How a called task ends concerns its caller alone: the plan goes on as if it were not needed.
void note_end_of_called(const plan_view& plan, std::uint32_t task, task_summary& summary) noexcept {
  if (is_lost(summary) && plan.spec && task < plan.spec->tasks.size()
      && plan.spec->tasks[task].caller != no_caller)
    summary.is_skipped = true;
}

void set_attempt(task_summary& summary, std::uint32_t attempt) noexcept {
  summary.attempt = static_cast<std::uint16_t>(std::min<std::uint32_t>(attempt, attempt_shown_max));
}

/// What the operations of a change do to a plan, one after the other.
struct shape_applier {
  plan_spec& spec;
  chunked<task_summary>& summaries;
  bool has_summaries; ///< Else they are lent.
  std::uint32_t now_ms;

  template<class Operation>
  [[nodiscard]] task_spec* edit(const Operation& wanted) const {
    return wanted.task < spec.tasks.size() ? &spec.tasks.edit(wanted.task) : nullptr;
  }

  void operator()(const add_task& added) const {
    spec.tasks.push_back(added.spec);
    if (has_summaries)
      summaries.push_back(task_summary{.changed_ms = now_ms});
  }
  void operator()(const remove_task<std::uint32_t>& removed) const {
    if (auto* task = edit(removed))
      task->is_removed = true;
  }
  void operator()(const add_dependency<std::uint32_t>& added) const {
    auto* task = edit(added);
    if (!task || added.on >= spec.tasks.size())
      return;
    const auto& on = spec.tasks[added.on];
    task->dependency_indexes.resize(task->dependencies.size(), elsewhere);
    task->dependencies.push_back(on.key.empty() ? on.id.str() : on.key);
    task->dependency_indexes.push_back(added.on);
  }
  void operator()(const remove_dependency<std::uint32_t>& removed) const {
    auto* task = edit(removed);
    if (!task)
      return;
    for (auto i = task->dependency_indexes.size(); i-- > 0;)
      if (task->dependency_indexes[i] == removed.on) {
        const auto at = static_cast<std::ptrdiff_t>(i);
        task->dependency_indexes.erase(task->dependency_indexes.begin() + at);
        task->dependencies.erase(task->dependencies.begin() + at);
      }
  }
  void operator()(const rename_task<std::uint32_t>& renamed) const {
    if (auto* task = edit(renamed))
      task->name = renamed.name;
  }
  void operator()(const set_deadline<std::uint32_t>& set) const {
    if (auto* task = edit(set))
      set_deadline_of(*task, set.deadline);
  }
  void operator()(const set_priority<std::uint32_t>& set) const {
    if (auto* task = edit(set))
      task->priority = set.priority;
  }
  void operator()(const put_task<std::uint32_t>& put) const {
    auto* task = edit(put);
    if (!task)
      return;
    auto next = put.spec;
    next.id = std::move(task->id);
    next.key = std::move(task->key);
    next.dependencies = std::move(task->dependencies);
    next.dependency_indexes = std::move(task->dependency_indexes);
    next.is_removed = task->is_removed;
    next.caller = task->caller;
    *task = std::move(next);
  }
  void operator()(const skip_task<std::uint32_t>& skipped) const {
    if (skipped.task < summaries.size())
      summaries.edit(skipped.task).is_skipped = true;
  }
  // Its end is an event of its own.
  void operator()(const complete_task<std::uint32_t>&) const {}
  // tasks_renewed came before.
  void operator()(const retry_task<std::uint32_t>&) const {}
  void operator()(const edit_plan& edited) const { edit_fields_of(spec, edited); }
};

} // namespace

void apply(plan_view& plan, const change& where, const plan_moved& moved) {
  const auto to = next_state(plan.state, moved.on);
  if (!to)
    return;
  const bool begins = plan.state != plan_state::blocked && *to == plan_state::working;
  if (begins)
    plan.began = where.at;
  if (plan.spec && is_settled(plan.state) && !is_settled(*to)
      && has_passed(plan.spec->deadline, where.at))
    unshared(plan.spec).deadline.reset();
  if (begins && plan.spec && plan.spec->deadline_after.count() > 0)
    begin_deadline(unshared(plan.spec), where.at);
  const auto from = std::exchange(plan.state, *to);
  plan.reason = moved.reason;
  plan.skip_requested =
      moved.requested || (plan.skip_requested && goes_on(from) && goes_on(plan.state));
  plan.start_requested = plan.start_requested && *to != plan_state::working;
  plan.paused = plan.paused && !is_settled(*to);
  plan.updated = where.at;
}

void apply(plan_view& plan, const change& where, const plan_changed& changed) {
  if (!plan.spec)
    return;
  shape_applier to{unshared(plan.spec), plan.tasks, !plan.is_lent, since_creation(plan, where.at)};
  for (const auto& each : changed.operations)
    std::visit(to, each);
  plan.updated = where.at;
}

void apply(plan_view& plan, const change& where, const tasks_withdrawn& withdrawn) {
  for (const auto index : withdrawn.tasks)
    if (index < plan.tasks.size()) {
      auto& summary = plan.tasks.edit(index);
      set_state(plan, summary, withdrawn.to, where.at);
      summary.has_artifacts = summary.has_artifacts || !withdrawn.artifacts.empty();
      note_end_of_called(plan, index, summary);
    }
  plan.updated = where.at;
}

void apply(plan_view& plan, const change& where, const tasks_renewed& renewed) {
  for (const auto index : renewed.tasks)
    if (index < plan.tasks.size()) {
      plan.tasks.edit(index) = task_summary{.generation = plan.tasks[index].generation + 1,
                                            .changed_ms = since_creation(plan, where.at)};
      set_reached(plan, index, 0);
      if (plan.spec && has_passed(plan.spec->tasks[index].deadline, where.at))
        unshared(plan.spec).tasks.edit(index).deadline.reset();
    }
  plan.updated = where.at;
}

void apply(plan_view& plan, const change&, const pause_changed& pause) {
  plan.paused = pause.paused;
}

void apply(plan_view& plan, const change& where, const task_created& created) {
  auto* summary = summary_of(plan, where.task);
  if (!summary || !created.record)
    return;
  set_state(plan, *summary, created.record->status.state, where.at);
  set_attempt(*summary, created.record->attempt);
  summary->failures_modulo_16 = created.record->failures & 0xf;
  summary->has_artifacts = !created.record->artifacts.empty();
}

void apply(plan_view& plan, const change& where, const task_moved& moved) {
  auto* summary = summary_of(plan, where.task);
  if (!summary)
    return;
  const auto attempt = summary->attempt;
  set_state(plan, *summary, moved.to, where.at);
  note_end_of_called(plan, where.task.task_index, *summary);
  set_attempt(*summary, moved.attempt);
  if (summary->attempt != attempt)
    set_reached(plan, where.task.task_index, 0);
  const auto index = where.task.task_index;
  if (attempt == 0 && summary->attempt > 0 && plan.spec && index < plan.spec->tasks.size()
      && plan.spec->tasks[index].deadline_after.count() > 0)
    begin_deadline(unshared(plan.spec).tasks.edit(index), where.at);
  const auto failures = static_cast<std::uint8_t>(moved.failures % 16);
  const bool awaits_retry = failures != summary->failures_modulo_16 && !is_terminal(moved.to);
  summary->wait = awaits_retry ? task_wait::backoff : task_wait::none;
  summary->failures_modulo_16 = failures & 0xf;
}

void apply(plan_view& plan, const change& where, const task_progress& news) {
  const auto* summary = summary_of(plan, where.task);
  if (summary && news.progress && !is_terminal(summary->state))
    set_reached(plan, where.task.task_index, fraction_of(*news.progress));
}

void apply(plan_view& plan, const change& where, const task_queued&) {
  if (auto* summary = summary_of(plan, where.task); summary && !is_terminal(summary->state))
    summary->wait = task_wait::slot;
}

void apply(plan_view& plan, const change& where, const task_resumed&) {
  if (auto* summary = summary_of(plan, where.task))
    summary->wait = task_wait::none;
}

void apply(plan_view& plan, const change& where, const task_artifact&) {
  note_artifacts(plan, where);
}

void note_artifacts(plan_view& plan, const change& where) {
  auto* summary = summary_of(plan, where.task);
  if (!summary)
    return;
  summary->has_artifacts = true;
  plan.updated = where.at;
}

void apply_event(plan_view& plan, const change& where, const event& one) {
  apply_one(plan, where, one);
}

void forget_questions(plan_view& plan) {
  for (std::uint32_t task = 0; task < plan.tasks.size(); ++task)
    if (is_interrupted(plan.tasks[task].state))
      plan.tasks.edit(task).state = task_state::working;
}

} // namespace troupe
