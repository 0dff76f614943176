#include "apps/run_model.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

using std::chrono::milliseconds;

milliseconds span_between(timestamp began, timestamp ended, timestamp now) {
  if (began == timestamp{})
    return milliseconds{0};
  const timestamp until = ended == timestamp{} ? now : ended;
  return std::max(milliseconds{0}, until - began);
}

bool is_active(task_state state) {
  return state == task_state::working || is_interrupted(state);
}

} // namespace

std::size_t& counter_of(state_counts& counts, task_state state) {
  switch (state) {
    case task_state::unspecified:
    case task_state::submitted: return counts.pending;
    case task_state::working: return counts.working;
    case task_state::input_required:
    case task_state::auth_required: return counts.waiting;
    case task_state::completed: return counts.completed;
    case task_state::failed:
    case task_state::rejected: return counts.failed;
    case task_state::canceled: return counts.canceled;
  }
  return counts.pending;
}

std::size_t& counter_of(state_counts& counts, const plan_row& plan, const task_row& task) {
  const bool never_began = task.attempt == 0
                           && (task.state == task_state::unspecified || task.state == task_state::submitted || task.state == task_state::canceled);
  return never_began && plan.state == plan_state::skipped ? counts.skipped : counter_of(counts, task.state);
}

milliseconds task_row::elapsed(timestamp now) const {
  return span_between(began, ended, now);
}

milliseconds plan_row::elapsed(timestamp now) const {
  return span_between(began, ended, now);
}

milliseconds run_model::elapsed(timestamp now) const {
  return span_between(began_, ended_, now);
}

double fraction_of(const progress_report& report) {
  if (report.aggregate && report.aggregate->progress && report.aggregate->total && *report.aggregate->total > 0)
    return std::clamp(*report.aggregate->progress / *report.aggregate->total, 0.0, 1.0);
  double sum = 0;
  std::size_t n = 0;
  for (const auto& tracker : report.trackers) {
    if (tracker.total && *tracker.total > 0 && tracker.progress) {
      sum += std::clamp(*tracker.progress / *tracker.total, 0.0, 1.0);
      ++n;
    }
  }
  return n == 0 ? -1.0 : sum / static_cast<double>(n);
}

double run_model::progress() const {
  if (counts_.total() == 0)
    return state_ == objective_state::completed ? 1.0 : 0.0;
  double done = static_cast<double>(counts_.done());
  for (const auto& plan : plans_)
    for (const auto& [index, report] : plan.progress)
      done += std::max(0.0, fraction_of(*report));
  return std::min(1.0, done / static_cast<double>(counts_.total()));
}

// -- snapshot ----------------------------------------------------------------------------------------------------------

void run_model::reset(const objective_view& from) {
  *this = run_model{};
  id_ = from.id;
  name_ = from.name;
  state_ = from.state;
  reason_ = from.reason;
  if (state_ != objective_state::submitted)
    began_ = from.created;
  if (is_settled(state_))
    ended_ = from.updated;
  for (const auto& plan : from.plans) {
    add_plan(plan.spec);
    auto& row = plans_.back();
    row.state = plan.state;
    row.reason = plan.reason;
    for (std::uint32_t i = 0; i < plan.tasks.size() && i < row.tasks.size(); ++i) {
      row.tasks[i].attempt = plan.tasks[i].attempt;
      row.tasks[i].generation = plan.tasks[i].generation;
      attempts_ += plan.tasks[i].attempt;
    }
    count_again(row);
    for (std::uint32_t i = 0; i < plan.tasks.size() && i < row.tasks.size(); ++i) {
      const auto& slot = plan.tasks[i];
      if (slot.state != task_state::unspecified)
        set_state(row, i, slot.state, timestamp{});
    }
  }
  for (const auto& pending : from.pending_inputs) {
    for (std::uint32_t p = 0; p < from.plans.size(); ++p)
      for (const auto i : plans_[p].active)
        if (is_interrupted(plans_[p].tasks[i].state) && from.plans[p].task_at(i) == pending.task)
          questions_.push_back({++questions_seen_, pending.task, p, i, pending.prompt,
                                plans_[p].tasks[i].state == task_state::auth_required, pending.since});
  }
}

void run_model::measured(std::uint32_t plan, std::uint32_t task, timestamp began, timestamp ended) {
  plans_[plan].tasks[task].began = began;
  plans_[plan].tasks[task].ended = ended;
}

// -- changes -----------------------------------------------------------------------------------------------------------

void run_model::apply(const change& what) {
  for (const auto& each : what.events) {
    if (what.task.id.empty())
      apply_objective(each, what.at);
    else if (!what.task.lone && what.task.plan_index < plans_.size()
             && what.task.task_index < plans_[what.task.plan_index].tasks.size())
      apply_task(what, each);
  }
  if (what.task.id.empty() && id_.empty())
    id_ = objective_id(what.context);
}

void run_model::apply_objective(const event& what, timestamp at) {
  if (const auto* created = std::get_if<objective_created>(&what)) {
    name_ = created->spec->name;
    for (const auto& plan : created->spec->plans)
      add_plan(plan);
  } else if (const auto* edited = std::get_if<objective_edited>(&what)) {
    if (!edited->name.empty())
      name_ = edited->name;
  } else if (const auto* moved = std::get_if<objective_moved>(&what)) {
    if (began_ == timestamp{} && moved->to != objective_state::submitted)
      began_ = at;
    state_ = moved->to;
    reason_ = moved->reason;
    ended_ = is_settled(state_) ? at : timestamp{};
  } else if (const auto* added = std::get_if<plan_added>(&what)) {
    add_plan(added->spec);
  } else if (const auto* plan = std::get_if<plan_moved>(&what)) {
    move_plan(plan->plan, plan->to, plan->reason, at);
  } else if (const auto* withdrawn = std::get_if<tasks_withdrawn>(&what)) {
    if (withdrawn->plan < plans_.size())
      for (const auto i : withdrawn->tasks)
        set_state(plans_[withdrawn->plan], i, withdrawn->to, at);
  } else if (const auto* renewed = std::get_if<tasks_renewed>(&what)) {
    if (renewed->plan < plans_.size())
      for (const auto i : renewed->tasks)
        renew(plans_[renewed->plan], i, at);
  }
}

void run_model::renew(plan_row& plan, std::uint32_t index, timestamp at) {
  if (index >= plan.tasks.size())
    return;
  set_state(plan, index, task_state::unspecified, at);
  auto& row = plan.tasks[index];
  row = task_row{.generation = row.generation + 1};
  plan.reasons.erase(index);
}

void run_model::apply_task(const change& where, const event& what) {
  auto& plan = plans_[where.task.plan_index];
  const std::uint32_t index = where.task.task_index;
  if (const auto* moved = std::get_if<task_moved>(&what)) {
    move_task(where, *moved);
  } else if (const auto* report = std::get_if<task_progress>(&what)) {
    if (report->what && is_active(plan.tasks[index].state))
      plan.progress[index] = report->what;
  } else if (const auto* created = std::get_if<task_created>(&what)) {
    if (created->record)
      set_state(plan, index, created->record->status.state, where.at);
  }
}

void run_model::move_task(const change& where, const task_moved& what) {
  auto& plan = plans_[where.task.plan_index];
  const std::uint32_t index = where.task.task_index;
  auto& row = plan.tasks[index];
  if (what.attempt > row.attempt) {
    attempts_ += what.attempt - row.attempt;
    row.attempt = what.attempt;
    row.began = where.at;
    row.ended = timestamp{};
    plan.progress.erase(index);
  }
  set_state(plan, index, what.to, where.at);
  std::string words = what.message ? text_of(what.message->parts) : std::string{};
  if (is_interrupted(what.to))
    questions_.push_back({++questions_seen_, where.task.id, where.task.plan_index, index, words,
                          what.to == task_state::auth_required, where.at});
  if (words.empty() || what.to == task_state::completed)
    plan.reasons.erase(index);
  else
    plan.reasons[index] = std::move(words);
}

void run_model::set_state(plan_row& plan, std::uint32_t index, task_state to, timestamp at) {
  if (index >= plan.tasks.size())
    return;
  auto& row = plan.tasks[index];
  if (is_interrupted(row.state))
    end_question(static_cast<std::uint32_t>(&plan - plans_.data()), index);
  for (auto* counts : {&counts_, &plan.counts})
    --counter_of(*counts, plan, row);
  row.state = to;
  for (auto* counts : {&counts_, &plan.counts})
    ++counter_of(*counts, plan, row);
  if (is_active(to)) {
    plan.active.insert(index);
    row.ended = timestamp{};
  } else {
    plan.active.erase(index);
    plan.progress.erase(index);
  }
  if (is_terminal(to) && row.attempt > 0)
    row.ended = at;
  if (to == task_state::failed || to == task_state::rejected)
    plan.failed.insert(index);
  else
    plan.failed.erase(index);
  parallel_seen_max_ = std::max(parallel_seen_max_, counts_.working);
}

void run_model::end_question(std::uint32_t plan, std::uint32_t index) {
  std::erase_if(questions_, [&](const open_question& each) { return each.plan == plan && each.index == index; });
}

void run_model::add_plan(const plan_spec_ptr& spec) {
  plan_row row;
  row.spec = spec;
  row.tasks.resize(spec->tasks.size());
  row.counts.pending = spec->tasks.size();
  counts_.pending += spec->tasks.size();
  plans_.push_back(std::move(row));
}

void run_model::move_plan(std::uint32_t index, plan_state to, const std::string& reason, timestamp at) {
  if (index >= plans_.size())
    return;
  auto& plan = plans_[index];
  if (plan.began == timestamp{} && to == plan_state::working)
    plan.began = at;
  const bool counts_differently = (plan.state == plan_state::skipped) != (to == plan_state::skipped);
  plan.state = to;
  plan.reason = reason;
  plan.ended = is_settled(to) ? at : timestamp{};
  if (counts_differently)
    count_again(plan);
}

void run_model::count_again(plan_row& plan) {
  const auto add = [](state_counts& to, const state_counts& what, std::size_t sign) {
    for (const auto member : {&state_counts::pending, &state_counts::working, &state_counts::waiting, &state_counts::completed,
                              &state_counts::failed, &state_counts::canceled, &state_counts::skipped})
      to.*member += sign * (what.*member);
  };
  add(counts_, plan.counts, static_cast<std::size_t>(-1));
  plan.counts = {};
  for (const auto& task : plan.tasks)
    ++counter_of(plan.counts, plan, task);
  add(counts_, plan.counts, 1);
}

// -- names -------------------------------------------------------------------------------------------------------------

std::string shown_name(const task_spec& task, std::size_t index) {
  if (!task.name.empty())
    return task.name;
  return task.key.empty() ? "task-" + std::to_string(index) : task.key;
}

std::string shown_name(const plan_spec& plan, std::size_t index) {
  if (!plan.name.empty())
    return plan.name;
  return plan.key.empty() ? "plan-" + std::to_string(index) : plan.key;
}

} // namespace troupe
