#include "protocol/change_size.hpp"
#include "protocol/fold/apply_parts.hpp"
#include "protocol/fold/rollup.hpp"
#include <troupe/protocol/unshared.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace troupe {

namespace {

plan_view* plan_at(objective_view& view, std::uint32_t index) noexcept {
  return index < view.plans.size() ? &view.plans.edit(index) : nullptr;
}

/// The plan of a plan's task.
plan_view* plan_of_task(objective_view& view, const task_address& task) noexcept {
  return task.lone ? nullptr : plan_at(view, task.plan_index);
}

/// What the operations of a change do to an objective, one after the other.
struct objective_applier {
  objective_view& view;
  const objective_changed& changed;
  timestamp at;

  /// The plan that an operation is about; null if there is none.
  [[nodiscard]] plan_view* touch(std::uint32_t index) const {
    auto* plan = plan_at(view, index);
    if (!plan || !plan->spec)
      return nullptr;
    plan->revision = changed.revision;
    plan->updated = at;
    return plan;
  }

  void operator()(const edit_objective& edited) const {
    edit_fields(view, edited.edited);
    if (edited.deadline)
      set_deadline_of(view, edited.deadline->at);
    if (edited.priority)
      view.priority = *edited.priority;
    if (edited.parallel_max)
      view.parallel_max = *edited.parallel_max;
  }
  void operator()(const edit_plan_of<std::uint32_t>& edited) const {
    if (auto* plan = touch(edited.plan))
      edit_fields_of(unshared(plan->spec), edited.edit);
  }
  // Its end is an event of its own.
  void operator()(const skip_plan<std::uint32_t>& skipped) const {
    if (auto* plan = touch(skipped.plan))
      plan->skip_requested = true;
  }
  void operator()(const set_plan_dependencies<std::uint32_t>& set) const {
    std::vector<std::string> ids;
    for (const auto on : set.on)
      if (on < view.plans.size() && view.plans[on].spec)
        ids.push_back(view.plans[on].spec->id.str());
    auto* plan = touch(set.plan);
    if (!plan)
      return;
    unshared(plan->spec).dependencies = std::move(ids);
  }
  /// Its place stays, without tasks or names. Its end is an event of its own.
  void operator()(const remove_plan<std::uint32_t>& removed) const {
    auto* plan = touch(removed.plan);
    if (!plan)
      return;
    plan->skip_requested = true;
    std::vector<std::uint32_t> tasks(plan->spec->tasks.size());
    std::iota(tasks.begin(), tasks.end(), 0U);
    take_out_times(view, *plan, tasks);
    const auto before = sums_of(view, *plan, tasks);
    auto& spec = unshared(plan->spec);
    spec.is_removed = true;
    spec.dependencies.clear();
    spec.alternatives.clear();
    spec.outside.clear();
    for (const auto task : tasks) {
      auto& gone = spec.tasks.edit(task);
      gone.is_removed = true;
      gone.dependencies.clear();
      gone.dependency_indexes.clear();
    }
    change_sums(view, *plan, before, sums_of(view, *plan, tasks));
  }
};

void add_plan(objective_view& view, const plan_spec_ptr& spec, timestamp at) {
  auto& plan = view.plans.emplace_back();
  plan.spec = spec;
  plan.created = plan.updated = at;
  plan.tasks.resize(spec->tasks.size());
}

/// What concerns one plan of an objective, and these of its tasks.
template<class Event>
void apply_to_plan(objective_view& view, plan_view* plan, const change& where, const Event& fact,
                   std::span<const std::uint32_t> tasks = {}) {
  if (!plan)
    return;
  const auto before = sums_of(view, *plan, tasks);
  apply(*plan, where, fact);
  change_sums(view, *plan, before, sums_of(view, *plan, tasks));
  view.updated = where.at;
}

/// The same of one task.
template<class Event>
void apply_to_task(objective_view& view, const change& where, const Event& fact) {
  const std::array tasks{where.task.task_index};
  apply_to_plan(view, plan_of_task(view, where.task), where, fact, tasks);
}

/// The tasks of a plan of `size` tasks that the operations are about, each once.
std::vector<std::uint32_t> tasks_of(const plan_changed& changed, std::size_t size) {
  std::vector<std::uint32_t> out;
  for (const auto& one : changed.operations)
    std::visit(
        [&](const auto& operation) {
          if constexpr (requires { operation.task; })
            out.push_back(operation.task);
          else if constexpr (std::is_same_v<std::remove_cvref_t<decltype(operation)>, add_task>)
            out.push_back(static_cast<std::uint32_t>(size++));
        },
        one);
  std::ranges::sort(out);
  // Not std::ranges::unique: clang 14 cannot compile the subrange of GCC's library.
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<std::uint32_t> paused_plans(const objective_view& view) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t p = 0; p < view.plans.size(); ++p)
    if (view.plans[p].paused)
      out.push_back(p);
  return out;
}

void set_pause(objective_view& view, bool paused) {
  view.paused = paused;
  for (std::uint32_t p = 0; p < view.plans.size(); ++p) {
    const bool is_paused = paused && !is_settled(view.plans[p].state);
    if (view.plans[p].paused != is_paused)
      view.plans.edit(p).paused = is_paused;
  }
}

} // namespace

void apply(objective_view& view, const change& where, const objective_created& created) {
  view.id = objective_id{where.context};
  view.owner = created.owner;
  view.trace = created.trace;
  view.root_task = created.root_task;
  view.state = objective_state::submitted;
  view.created = view.updated = where.at;
  if (!created.spec)
    return;
  view.name = created.spec->name;
  view.description = created.spec->description;
  view.parallel_max = created.spec->parallel_max;
  view.metadata = created.spec->metadata;
  view.references = created.spec->references;
  view.deadline = created.spec->deadline;
  view.deadline_after = created.spec->deadline_after;
  view.priority = created.spec->priority;
  view.plans.clear();
  for (const auto& plan : created.spec->plans)
    add_plan(view, plan, where.at);
  sum_up(view);
}

void apply(objective_view& view, const change& where, const objective_edited& edited) {
  view.usage += edited.used;
  if (edited.edited.empty())
    return;
  edit_fields(view, edited.edited);
  view.updated = where.at;
  ++view.revision;
}

void apply(objective_view& view, const change& where, const plan_edited& edited) {
  auto* plan = plan_at(view, edited.plan);
  if (!plan || !plan->spec)
    return;
  edit_fields(unshared(plan->spec), edited.edited);
  plan->updated = view.updated = where.at;
  plan->revision = ++view.revision;
}

void apply(objective_view& view, const change& where, const objective_changed& changed) {
  const objective_applier to{view, changed, where.at};
  for (const auto& each : changed.operations)
    std::visit(to, each);
  view.updated = where.at;
  view.revision = changed.revision;
}

void apply(objective_view& view, const change& where, const objective_moved& moved) {
  const auto to = next_state(view.state, moved.on);
  if (!to)
    return;
  if (is_settled(view.state) && !is_settled(*to) && has_passed(view.deadline, where.at))
    view.deadline.reset();
  const bool has_stood = view.state == objective_state::submitted || is_settled(view.state);
  const bool begins = has_stood && *to != objective_state::submitted && !is_settled(*to);
  if (begins && view.deadline_after.count() > 0)
    begin_deadline(view, where.at);
  view.state = *to;
  view.reason = moved.reason;
  view.updated = where.at;
  if (*to != objective_state::blocked)
    view.planning = *to == objective_state::planning;
  if (!is_settled(*to))
    return;
  view.planner_pause.reset();
  set_pause(view, false);
  for (std::uint32_t p = 0; p < view.plans.size(); ++p)
    if (view.plans[p].start_requested)
      view.plans.edit(p).start_requested = false;
  view.closing.reset();
  view.closing_reason.clear();
}

void apply(objective_view& view, const change& where, const plan_added& added) {
  if (!added.spec)
    return;
  add_plan(view, added.spec, where.at);
  auto& plan = view.plans.edit_back();
  plan.start_requested = added.start;
  view.revision = added.revision != 0 ? added.revision : view.revision + 1;
  plan.revision = view.revision;
  view.updated = where.at;
  add_to_rollup(view);
}

void apply(objective_view& view, const change& where, const plan_moved& moved) {
  auto* plan = plan_at(view, moved.plan);
  if (!plan)
    return;
  const auto from = plan->state;
  apply_to_plan(view, plan, where, moved);
  if (is_settled(plan->state))
    std::erase_if(view.pending_inputs,
                  [&](const pending_input& asked) { return asked.plan == moved.plan; });
  count_plans(view, moved.plan, from);
}

void apply(objective_view& view, const change& where, const plan_changed& changed) {
  auto* plan = plan_at(view, changed.plan);
  if (!plan)
    return;
  if (!plan->spec)
    return apply_to_plan(view, plan, where, changed);
  const auto tasks = tasks_of(changed, plan->spec->tasks.size());
  take_out_times(view, *plan, tasks);
  apply_to_plan(view, plan, where, changed, tasks);
  put_in_times(view, *plan, tasks);
  plan->revision = view.revision = changed.revision;
}

void apply(objective_view& view, const change& where, const tasks_withdrawn& withdrawn) {
  apply_to_plan(view, plan_at(view, withdrawn.plan), where, withdrawn, withdrawn.tasks);
}

void apply(objective_view& view, const change& where, const tasks_renewed& renewed) {
  auto* plan = plan_at(view, renewed.plan);
  apply_to_plan(view, plan, where, renewed, renewed.tasks);
  if (plan)
    plan->revision = ++view.revision;
}

void apply(objective_view& view, const change& where, const pause_changed& pause) {
  if (!pause.plan) {
    view.planner_pause.reset();
    if (pause.for_planner)
      view.planner_pause = paused_plans(view);
    set_pause(view, pause.paused);
  } else if (auto* plan = plan_at(view, *pause.plan)) {
    apply(*plan, where, pause);
    if (auto& stay = view.planner_pause) {
      std::erase(*stay, *pause.plan);
      if (pause.paused)
        stay->push_back(*pause.plan);
    }
  }
  view.updated = where.at;
}

void apply(objective_view& view, const change& where, const objective_closing& closing) {
  view.closing = closing.to;
  view.closing_reason = closing.reason;
  view.updated = where.at;
}

void apply(objective_view& view, const change& where, const task_created& created) {
  apply_to_task(view, where, created);
}

void apply(objective_view& view, const change& where, const task_moved& moved) {
  auto* plan = plan_of_task(view, where.task);
  if (!plan)
    return;
  const auto* summary = summary_of(*plan, where.task);
  if (!summary && !plan->is_lent)
    return;
  auto& inputs = view.pending_inputs;
  // A task has one question at most.
  const auto before = summary && !is_interrupted(summary->state)
                          ? inputs.end()
                          : std::ranges::find(inputs, where.task.id, &pending_input::task);
  if (is_interrupted(moved.to)) {
    auto asked = input_asked_by(moved, where);
    if (before == inputs.end()) {
      inputs.push_back(std::move(asked));
    } else if (!asked.question.empty() && asked.question == before->question) {
      asked.since = before->since; // It is asked again.
      *before = std::move(asked);
    } else {
      inputs.erase(before);
      inputs.push_back(std::move(asked));
    }
  } else if (before != inputs.end()) {
    inputs.erase(before);
  }
  apply_to_task(view, where, moved);
}

void apply(objective_view& view, const change& where, const task_progress& news) {
  auto* plan = plan_of_task(view, where.task);
  if (!plan)
    return;
  const std::array tasks{where.task.task_index};
  const auto before = sums_of(view, *plan, tasks);
  apply(*plan, where, news);
  change_sums(view, *plan, before, sums_of(view, *plan, tasks));
}

void apply(objective_view& view, const change& where, const task_queued& queued) {
  apply_to_plan(view, plan_of_task(view, where.task), where, queued);
}

void apply(objective_view& view, const change& where, const task_resumed& resumed) {
  apply_to_plan(view, plan_of_task(view, where.task), where, resumed);
}

void apply(objective_view& view, const change& where, const task_artifact& output) {
  apply_to_plan(view, plan_of_task(view, where.task), where, output);
}

void apply_event(objective_view& view, const change& where, const event& one) {
  apply_one(view, where, one);
  view.made_bytes += made_bytes_of(one);
  if (const auto* said = std::get_if<task_message>(&one); said && said->message)
    view.usage += usage_in(*said->message);
}

void apply(objective_view& view, const change& of) {
  for (const auto& one : of.events)
    apply_event(view, of, one);
}

std::uint64_t revision_after(std::uint64_t revision, const event& one) noexcept {
  if (const auto* changed = std::get_if<plan_changed>(&one))
    return changed->revision;
  if (const auto* changed = std::get_if<objective_changed>(&one))
    return changed->revision;
  if (const auto* added = std::get_if<plan_added>(&one); added && added->revision != 0)
    return added->revision;
  const auto* edited = std::get_if<objective_edited>(&one);
  const bool is_change =
      (edited && !edited->edited.empty()) || std::holds_alternative<plan_edited>(one)
      || std::holds_alternative<plan_added>(one) || std::holds_alternative<tasks_renewed>(one);
  return revision + (is_change ? 1 : 0);
}

pending_input input_asked_by(const task_moved& moved, const change& where) {
  pending_input out{.task = where.task.id,
                    .prompt = {},
                    .since = where.at,
                    .plan = where.task.plan_index,
                    .index = where.task.task_index,
                    .question = {},
                    .is_auth = moved.to == task_state::auth_required};
  if (!moved.message)
    return out;
  out.prompt = text_of(moved.message->parts);
  if (const auto* id = moved.message->metadata.if_contains(question_id_key); id && id->is_string())
    out.question = id->get_string();
  if (const auto whole = question_address_from(out.question); whole && whole->task == out.task)
    out.question = whole->question;
  return out;
}

void forget_questions(objective_view& view) noexcept {
  view.pending_inputs.clear();
}

} // namespace troupe
