// Objectives, plans and tasks as OPT prints them, and specs as plan documents.
#include "protocol/fold/plan_outlook.hpp"
#include "protocol/fold/rollup.hpp"
#include "protocol/fold/waiting.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "protocol/opt/limits_opt.hpp"
#include "protocol/opt/plan_operations.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::opt {

namespace {

json_writer& time_member(json_writer& out, std::string_view name, timestamp at) {
  return out.key(name).string(to_rfc3339(at));
}

double as_seconds(milliseconds value) {
  return static_cast<double>(value.count()) / 1000;
}

void write_names(json_writer& out, std::string_view key, const std::vector<std::string>& names) {
  if (names.empty())
    return;
  out.key(key).begin_array();
  for (const auto& name : names)
    out.string(name);
  out.end_array();
}

/// The time, or before the start the seconds that count from it.
template<class Of>
void write_deadline(json_writer& out, const Of& of) {
  if (of.deadline)
    time_member(out, "deadline", *of.deadline);
  else if (of.deadline_after.count() > 0)
    out.key("deadline").number(as_seconds(of.deadline_after));
}

/// Of an objective, a plan or a task.
template<class Of>
void write_urgency(json_writer& out, const Of& of) {
  write_deadline(out, of);
  if (of.priority != 0)
    out.key("priority").number(std::int64_t{of.priority});
}

void write_retry(json_writer& out, std::string_view key, const retry_policy& policy) {
  if (policy == retry_policy{})
    return;
  out.key(key).begin_object();
  out.key("maxAttempts").number(policy.attempts_max);
  out.key("backoff").number(as_seconds(policy.backoff));
  out.key("maxBackoff").number(as_seconds(policy.backoff_max));
  if (policy.jitter > 0)
    out.key("jitter").number(policy.jitter);
  out.end_object();
}

/// What the agent is to do, and how often: with it a printed task is one of a plan document.
void write_work(json_writer& out, const task_spec& task) {
  if (!task.input.empty())
    out.key("input").value(task.input);
  write_retry(out, "retry", task.retry);
  if (task.timeout.count() > 0)
    out.key("timeout").number(as_seconds(task.timeout));
}

void write_expected(json_writer& out, const task_spec& task) {
  if (task.expected.count() > 0)
    out.key("expectedSeconds").number(as_seconds(task.expected));
}

/// 0, 1, ...
std::vector<std::uint32_t> first_numbers(std::size_t count) {
  std::vector<std::uint32_t> out(count);
  std::iota(out.begin(), out.end(), 0U);
  return out;
}

/// Those that were not removed.
std::vector<std::uint32_t> plans_of(const objective_view& view) {
  auto out = first_numbers(view.plans.size());
  std::erase_if(out, [&](std::uint32_t plan) { return view.plans[plan].spec->is_removed; });
  return out;
}

// -- views ----------------------------------------------------------------------------------------

void write_inputs(json_writer& out, const objective_view& owner,
                  const std::vector<std::uint32_t>& positions) {
  if (positions.empty())
    return;
  out.key("pendingInputs").begin_array();
  for (const auto at : std::span(positions).first(std::min(positions.size(), inputs_shown_max))) {
    const auto& input = owner.pending_inputs[at];
    out.begin_object().member("taskId", input.task.str()).member("prompt", input.prompt);
    if (!input.question.empty())
      out.member("inputId", question_address{input.task, input.question}.str());
    time_member(out, "since", input.since).end_object();
  }
  out.end_array();
  out.key("pendingInputCount").number(positions.size());
}

void write_task(json_writer& out, const objective_view& owner, std::uint32_t plan_index,
                std::uint32_t index, id_lookup& ids) {
  const auto& plan = owner.plans[plan_index];
  const auto& spec = plan.spec->tasks[index];
  const auto& summary = plan.tasks[index];
  out.begin_object();
  const bool is_called = spec.caller < plan.tasks.size();
  out.member("id", plan.task_at(index).str())
      .member("name", spec.name)
      .member("status", is_called && summary.state != task_state::unspecified
                            ? to_string(summary.state)
                            : summary_state(summary));
  out.member("objectiveId", owner.id.str()).member("planId", plan.spec->id.str());
  out.key("taskIndex").number(index);
  out.optional_member("description", spec.description);
  out.key("dependencies").begin_array();
  for (std::size_t i = 0; i < spec.dependencies.size(); ++i)
    out.string(ids.task(plan_index, index, i));
  out.end_array();
  if (is_called)
    out.member("calledBy", plan.task_at(spec.caller).str());
  out.optional_member("agent", spec.agent);
  write_work(out, spec);
  out.key("attempts").number(std::uint32_t{summary.attempt});
  if (const auto since = ready_at(owner, plan_index, index))
    time_member(out, "readyAt", *since);
  if (const auto why = waiting_for(owner, plan_index, index))
    out.member("waitingFor", to_string(*why));
  if (const auto changed = changed_at(owner, plan_index, index);
      changed && summary.state != task_state::unspecified)
    time_member(out, "updatedAt", *changed);
  write_urgency(out, spec);
  write_expected(out, spec);
  out.end_object();
}

void write_plan(json_writer& out, const objective_view& owner, std::uint32_t index,
                bool include_tasks, plan_outlook& outlook) {
  const auto& plan = owner.plans[index];
  const auto& spec = *plan.spec;
  auto& ids = outlook.ids();
  const auto write_plans = [&](std::string_view key, const std::vector<std::string>& names) {
    if (names.empty())
      return;
    out.key(key).begin_array();
    for (const auto& name : names)
      out.string(ids.plan(name));
    out.end_array();
  };
  out.begin_object();
  out.member("id", spec.id.str()).member("objectiveId", owner.id.str()).member("name", spec.name);
  out.optional_member("description", spec.description);
  const auto& waits_for = outlook.waits_for(index);
  out.member("status", to_string(outlook.state(index)));
  if (waits_for.empty()) {
    out.optional_member("reason", plan.reason);
  } else {
    out.member("reason", "waits for plan " + quoted(owner.plans[waits_for.front()].spec->name)
                             + (waits_for.size() > 1
                                    ? " and " + std::to_string(waits_for.size() - 1) + " more"
                                    : std::string{}));
    out.key("waitingFor").begin_array();
    for (const auto on : waits_for)
      out.string(owner.plans[on].spec->id.str());
    out.end_array();
  }
  out.key("progress");
  write(out, progress_of(owner, index));
  write_inputs(out, owner, outlook.inputs(index));
  if (include_tasks) {
    out.key("tasks").begin_array();
    for (std::uint32_t i = 0; i < spec.tasks.size(); ++i)
      if (!spec.tasks[i].is_removed)
        write_task(out, owner, index, i, ids);
    out.end_array();
  }
  write_plans("dependencies", spec.dependencies);
  write_plans("alternatives", spec.alternatives);
  if (spec.failure == on_failure::keep_going)
    out.member("onFailure", "continue");
  if (spec.parallel_max != 0)
    out.key("maxParallel").number(spec.parallel_max);
  write_urgency(out, spec);
  if (!spec.metadata.empty())
    out.key("metadata").value(spec.metadata);
  out.key("revision").number(plan.revision);
  if (plan.began != timestamp{})
    time_member(out, "startedAt", plan.began);
  time_member(out, "createdAt", plan.created);
  time_member(out, "updatedAt", plan.updated);
  out.end_object();
}

// -- specs ----------------------------------------------------------------------------------------

/// `id`, and apart from it the key, where the two differ: one member of the metadata, which the
/// reader takes out again.
template<class Spec>
void write_id_and_metadata(json_writer& out, const Spec& spec) {
  out.optional_member("id", spec.id.str());
  const bool key_differs = spec.key != spec.id.str();
  if (!key_differs && spec.metadata.empty())
    return;
  out.key("metadata").begin_object();
  if (key_differs)
    out.member("troupe/v1/key", spec.key);
  for (const auto& [name, value] : spec.metadata)
    out.escaped_key(name).value(value);
  out.end_object();
}

} // namespace

void write(json_writer& out, const objective_view& value, bool include_plans, bool include_tasks) {
  out.begin_object();
  out.member("id", value.id.str())
      .member("name", value.name)
      .optional_member("description", value.description);
  out.member("status", to_string(value.state)).optional_member("reason", value.reason);
  if (value.closing)
    out.member("closing", to_string(*value.closing));
  if (include_plans) {
    out.key("plans");
    write_plans(out, value, plans_of(value), include_tasks);
  }
  out.key("progress");
  write(out, progress_of(value));
  write_inputs(out, value, first_numbers(value.pending_inputs.size()));
  if (value.usage.calls > 0) {
    out.key("modelUsage");
    write(out, value.usage);
  }
  if (value.parallel_max != 0)
    out.key("maxParallel").number(value.parallel_max);
  write_urgency(out, value);
  if (!value.metadata.empty())
    out.key("metadata").value(value.metadata);
  out.optional_member("rootTaskId", value.root_task.str());
  out.key("revision").number(value.revision);
  time_member(out, "createdAt", value.created);
  time_member(out, "updatedAt", value.updated);
  out.end_object();
}

void write(json_writer& out, const model_usage& used) {
  out.begin_object().key("calls").number(used.calls);
  out.key("promptTokens").number(used.prompt_tokens);
  out.key("answerTokens").number(used.answer_tokens);
  out.key("seconds").number(static_cast<double>(used.milliseconds) / 1000);
  if (used.cost_millionths > 0)
    out.key("cost").number(static_cast<double>(used.cost_millionths) / 1e6);
  if (used.is_estimated)
    out.key("estimated").boolean(true);
  out.end_object();
}

void write(json_writer& out, const rolled_up& progress) {
  out.begin_object()
      .key("fraction")
      .number(static_cast<double>(progress.fraction) / whole_fraction);
  out.key("done").number(progress.done).key("total").number(progress.total).end_object();
}

namespace {

/// The members of an object that was begun.
void write_report_members(json_writer& out, const change_report& report) {
  out.optional_member("planId", report.plan.str());
  out.optional_member("objectiveId", report.objective.str());
  out.key("revision").number(report.revision);
  if (report.dry_run)
    out.key("dryRun").boolean(true);
  const auto write_ids = [&](std::string_view name, const auto& ids) {
    if (ids.empty())
      return;
    out.key(name).begin_array();
    for (const auto& id : ids)
      out.string(id.str());
    out.end_array();
  };
  write_ids("added", report.added);
  write_ids("removed", report.removed);
  write_ids("replaced", report.replaced);
  write_ids("skipped", report.skipped);
  write_ids("completed", report.completed);
  write_ids("retried", report.retried);
  write_ids("canceled", report.canceled);
  write_ids("released", report.released);
  write_ids("added", report.plans_added);
  write_ids("removed", report.plans_removed);
  write_ids("skipped", report.plans_skipped);
  write_ids("canceled", report.plans_canceled);
  write_ids("released", report.plans_released);
}

} // namespace

void write(json_writer& out, const change_report& report) {
  out.begin_object();
  write_report_members(out, report);
  out.end_object();
}

void write(json_writer& out, const replan_report& report) {
  out.begin_object();
  write_report_members(out, report.change);
  if (!report.operations.empty()) {
    out.key("operations");
    write_operations(out, report.operations);
  }
  if (!report.note.empty())
    out.key("planner").value(report.note);
  out.end_object();
}

void write_plans(json_writer& out, const objective_view& owner,
                 const std::vector<std::uint32_t>& positions, bool include_tasks) {
  plan_outlook outlook(owner, positions);
  out.begin_array();
  for (const auto at : positions)
    write_plan(out, owner, at, include_tasks, outlook);
  out.end_array();
}

void write(json_writer& out, const objective_view& owner, std::size_t plan_index,
           bool include_tasks) {
  const auto index = static_cast<std::uint32_t>(plan_index);
  plan_outlook outlook(owner, {index});
  write_plan(out, owner, index, include_tasks, outlook);
}

void write_task_metadata(json_writer& out, const task& value) {
  if (!value.origin)
    return;
  const auto& plan = *value.origin.plan;
  const auto& spec = value.origin.spec();
  out.member("opt/v1/objectiveId", value.context).member("opt/v1/planId", plan.id.str());
  out.key("opt/v1/taskIndex").number(value.origin.task_index);
  if (!spec.dependencies.empty()) {
    out.key("opt/v1/dependencies").begin_array();
    const auto before = [](const outside_dependency& each, std::uint32_t at) {
      return each.task < at;
    };
    // In the order of those that are no tasks of this plan.
    auto outside =
        std::lower_bound(plan.outside.begin(), plan.outside.end(), value.origin.task_index, before);
    for (std::size_t i = 0; i < spec.dependencies.size(); ++i) {
      const auto at =
          i < spec.dependency_indexes.size() ? spec.dependency_indexes[i] : std::uint32_t{0};
      task_id id;
      if (i < spec.dependency_indexes.size() && at < plan.tasks.size())
        id = plan.tasks[at].id;
      else if (at == elsewhere && outside != plan.outside.end()
               && outside->task == value.origin.task_index)
        id = (*outside++).on;
      out.string(id.empty() ? spec.dependencies[i] : id.str());
    }
    out.end_array();
  }
  if (spec.caller < plan.tasks.size())
    out.member("troupe/v1/calledBy", plan.tasks[spec.caller].id.str());
  out.member("troupe/v1/name", spec.name)
      .optional_member("troupe/v1/description", spec.description);
  out.optional_member("troupe/v1/agent", value.agent.empty() ? spec.agent : value.agent);
  out.key("troupe/v1/attempts").number(value.attempt);
  write_retry(out, "troupe/v1/retry", spec.retry);
  if (spec.timeout.count() > 0)
    out.key("troupe/v1/timeout").number(as_seconds(spec.timeout));
  if (!spec.input.empty())
    out.key("troupe/v1/input").value(spec.input);
  for (const auto& [name, member] : spec.metadata)
    if (!value.metadata.contains(name))
      out.escaped_key(name).value(member);
}

void write_task_times(json_writer& out, const task& value) {
  if (value.ready_at == timestamp{})
    return;
  time_member(out, "troupe/v1/readyAt", value.ready_at);
  const auto phase = phase_of(value);
  if (phase != task_phase::running && phase != task_phase::ended)
    out.member("troupe/v1/waitingFor", to_string(phase));
  const bool ended_later =
      phase == task_phase::ended && value.attempt > 0 && value.since != value.status.at;
  if (value.details->spans.empty() && !ended_later)
    return;
  out.key("troupe/v1/spans").begin_array();
  const auto write_one = [&](const task_span& span) {
    out.begin_object().member("phase", to_string(span.phase)).key("attempt").number(span.attempt);
    time_member(out, "startedAt", span.begin);
    time_member(out, "endedAt", span.end).optional_member("reason", span.reason).end_object();
  };
  for (const auto& span : value.details->spans)
    write_one(span);
  if (ended_later)
    write_one({task_phase::running, value.attempt, value.since, value.status.at,
               std::string{to_string(value.status.state)}});
  out.end_array();
}

void write_members(json_writer& out, const task_spec& value) {
  write_id_and_metadata(out, value);
  out.member("name", value.name)
      .optional_member("description", value.description)
      .optional_member("agent", value.agent);
  write_work(out, value);
  write_names(out, "dependencies", value.dependencies);
  write_urgency(out, value);
  write_expected(out, value);
}

void write_spec(json_writer& out, const task_spec& value) {
  out.begin_object();
  write_members(out, value);
  out.end_object();
}

void write_spec(json_writer& out, const plan_spec& value) {
  out.begin_object();
  write_members(out, value);
  out.end_object();
}

void write_members(json_writer& out, const plan_spec& value) {
  write_id_and_metadata(out, value);
  out.member("name", value.name).optional_member("description", value.description);
  out.key("tasks").begin_array();
  for (const auto& task : value.tasks)
    if (!task.is_removed)
      write_spec(out, task);
  out.end_array();
  write_names(out, "dependencies", value.dependencies);
  write_names(out, "alternatives", value.alternatives);
  if (value.failure == on_failure::keep_going)
    out.member("onFailure", "continue");
  if (value.parallel_max != 0)
    out.key("maxParallel").number(value.parallel_max);
  write_urgency(out, value);
}

objective_spec spec_of(const objective_view& view) {
  objective_spec out;
  out.id = view.id;
  out.name = view.name;
  out.description = view.description;
  out.parallel_max = view.parallel_max;
  out.metadata = view.metadata;
  out.deadline = view.deadline;
  out.deadline_after = view.deadline_after;
  out.priority = view.priority;
  for (const auto plan : plans_of(view))
    out.plans.push_back(view.plans[plan].spec);
  return out;
}

void write_spec(json_writer& out, const objective_spec& value) {
  out.begin_object();
  out.optional_member("id", value.id.str());
  out.member("name", value.name).optional_member("description", value.description);
  out.key("plans").begin_array();
  for (const auto& plan : value.plans)
    write_spec(out, *plan);
  out.end_array();
  if (value.parallel_max != 0)
    out.key("maxParallel").number(value.parallel_max);
  write_urgency(out, value);
  if (!value.metadata.empty())
    out.key("metadata").value(value.metadata);
  out.end_object();
}

} // namespace troupe::opt
