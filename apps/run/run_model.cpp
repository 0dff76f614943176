#include "apps/run/run_model.hpp"

#include "protocol/fold/apply.hpp"
#include "protocol/fold/rollup.hpp"
#include "protocol/fold/waiting.hpp"

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

/// Taken out by a change, with its plan or alone.
bool is_removed(const plan_row& plan, std::uint32_t task) {
  return plan.spec->is_removed || plan.spec->tasks[task].is_removed;
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
  const bool never_began =
      task.attempt == 0
      && (task.state == task_state::unspecified || task.state == task_state::submitted
          || task.state == task_state::canceled);
  return never_began && plan.state == plan_state::skipped ? counts.skipped
                                                          : counter_of(counts, task.state);
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

bool run_model::is_canceled(const plan_row& plan) const {
  const auto end = view_.closing.value_or(view_.state);
  return plan.state == plan_state::failed && end == objective_state::canceled
         && plan.counts.failed == 0;
}

double run_model::progress() const {
  return static_cast<double>(progress_of(view_).fraction) / whole_fraction;
}

// -- snapshot -------------------------------------------------------------------------------------

void run_model::reset(const objective_view& from) {
  *this = run_model{};
  view_ = from;
  if (view_.state != objective_state::submitted)
    began_ = view_.created;
  if (is_settled(view_.state))
    ended_ = view_.updated;
  show_new_plans();
  for (std::uint32_t p = 0; p < plans_.size(); ++p) {
    auto& plan = plans_[p];
    plan.state = view_.plans[p].state;
    plan.reason = view_.plans[p].reason;
    if (plan.state != plan_state::pending) // What is tried again has not begun again.
      plan.began = view_.plans[p].began;
    if (is_settled(plan.state))
      plan.ended = view_.plans[p].updated;
    count_again(plan);
    for (std::uint32_t i = 0; i < plan.tasks.size(); ++i) {
      const auto& summary = view_.plans[p].tasks[i];
      attempts_ += summary.attempt;
      show_task(plan, i, timestamp{});
      if (is_active(summary.state)) // Since then, as far as this shows it.
        plan.tasks[i].began = changed_at(view_, p, i).value_or(timestamp{});
    }
  }
  for (const auto& pending : view_.pending_inputs) {
    for (std::uint32_t p = 0; p < plans_.size(); ++p)
      for (const auto i : plans_[p].active)
        if (is_interrupted(plans_[p].tasks[i].state) && view_.plans[p].task_at(i) == pending.task)
          questions_.push_back({++questions_seen_, pending.task, p, i, pending.prompt,
                                plans_[p].tasks[i].state == task_state::auth_required,
                                pending.since, pending.question});
  }
}

void run_model::tried_again(timestamp began) {
  if (began_ != timestamp{})
    began_ = began;
}

void run_model::measured(std::uint32_t plan, std::uint32_t task, timestamp began, timestamp ended) {
  plans_[plan].tasks[task].began = began;
  plans_[plan].tasks[task].ended = ended;
}

void run_model::explained(std::uint32_t plan, std::uint32_t task, std::string reason) {
  plans_[plan].reasons[task] = std::move(reason);
}

// -- changes --------------------------------------------------------------------------------------

void run_model::apply(const change& change) {
  for (const auto& one : change.events) {
    apply_event(view_, change, one);
    show(change, one);
  }
}

void run_model::show(const change& where, const event& one) {
  if (std::holds_alternative<objective_created>(one) || std::holds_alternative<plan_added>(one)) {
    show_new_plans();
  } else if (std::holds_alternative<objective_moved>(one)) {
    show_objective(where.at);
  } else if (const auto* plan = std::get_if<plan_moved>(&one)) {
    show_plan(plan->plan, where.at);
  } else if (const auto* changed = std::get_if<plan_changed>(&one)) {
    if (changed->plan < plans_.size())
      for (const auto& each : changed->operations)
        if (const auto* removed = std::get_if<remove_task<std::uint32_t>>(&each))
          count(plans_[changed->plan], removed->task, static_cast<std::size_t>(-1));
    show_shape(changed->plan);
  } else if (std::holds_alternative<objective_changed>(one)) {
    for (std::uint32_t p = 0; p < plans_.size(); ++p)
      show_shape(p);
  } else if (const auto* withdrawn = std::get_if<tasks_withdrawn>(&one)) {
    show_tasks(withdrawn->plan, withdrawn->tasks, where.at);
  } else if (const auto* renewed = std::get_if<tasks_renewed>(&one)) {
    show_tasks(renewed->plan, renewed->tasks, where.at);
  } else if (auto* of = row_of(where.task)) {
    if (const auto* moved = std::get_if<task_moved>(&one))
      return show_move(where, *moved);
    if (const auto* report = std::get_if<task_progress>(&one); report && report->progress)
      of->progress[where.task.task_index] = report->progress;
    show_task(*of, where.task.task_index, where.at);
  }
}

void run_model::show_objective(timestamp at) {
  if (view_.state == objective_state::submitted)
    began_ = timestamp{}; // It is tried again.
  else if (began_ == timestamp{})
    began_ = at;
  ended_ = is_settled(view_.state) ? at : timestamp{};
}

void run_model::show_new_plans() {
  while (plans_.size() < view_.plans.size()) {
    plan_row row;
    row.spec = view_.plans[plans_.size()].spec;
    row.tasks.resize(row.spec->tasks.size());
    row.counts.pending = row.tasks.size();
    counts_.pending += row.tasks.size();
    plans_.push_back(std::move(row));
  }
}

// Tasks that were added have rows; those that were removed keep theirs, are withdrawn, and no more
// counted.
void run_model::show_shape(std::uint32_t index) {
  if (index >= plans_.size())
    return;
  auto& plan = plans_[index];
  const bool was_removed = plan.spec->is_removed;
  plan.spec = view_.plans[index].spec;
  const auto before = plan.tasks.size();
  plan.tasks.resize(plan.spec->tasks.size());
  for (auto t = static_cast<std::uint32_t>(before); t < plan.tasks.size(); ++t)
    count(plan, t, 1);
  if (plan.spec->is_removed && !was_removed)
    count_again(plan);
}

void run_model::count(plan_row& plan, std::uint32_t index, std::size_t sign) {
  if (index >= plan.tasks.size() || is_removed(plan, index))
    return;
  for (auto* counts : {&counts_, &plan.counts})
    counter_of(*counts, plan, plan.tasks[index]) += sign;
}

void run_model::show_plan(std::uint32_t index, timestamp at) {
  if (index >= plans_.size())
    return;
  auto& plan = plans_[index];
  const auto& now = view_.plans[index];
  if (now.state == plan_state::pending)
    plan.began = timestamp{};
  else if (now.state == plan_state::working
           && (plan.began == timestamp{} || is_settled(plan.state)))
    plan.began = at;
  const bool counts_differently =
      (plan.state == plan_state::skipped) != (now.state == plan_state::skipped);
  plan.state = now.state;
  plan.reason = now.reason;
  plan.ended = is_settled(now.state) ? at : timestamp{};
  if (counts_differently)
    count_again(plan);
}

void run_model::show_tasks(std::uint32_t plan, const std::vector<std::uint32_t>& tasks,
                           timestamp at) {
  if (plan >= plans_.size())
    return;
  for (const auto index : tasks)
    if (index < plans_[plan].tasks.size())
      show_task(plans_[plan], index, at);
}

void run_model::show_move(const change& where, const task_moved& moved) {
  auto& plan = *row_of(where.task);
  const std::uint32_t index = where.task.task_index;
  auto& row = plan.tasks[index];
  if (moved.attempt > row.attempt) {
    attempts_ += moved.attempt - row.attempt;
    row.began = where.at;
    row.ended = timestamp{};
    plan.progress.erase(index);
  }
  const auto asked = is_interrupted(moved.to) ? input_asked_by(moved, where) : pending_input{};
  const auto known = std::ranges::find_if(questions_, [&](const open_question& each) {
    return each.task == where.task.id && each.question == asked.question && !asked.question.empty();
  });
  const bool is_known = known != questions_.end(); // It is asked again.
  if (is_interrupted(row.state) && !is_known)      // also if it asks anew
    end_question(plan, index);
  show_task(plan, index, where.at);
  std::string words = moved.message ? text_of(moved.message->parts) : std::string{};
  if (is_interrupted(moved.to) && !is_known)
    questions_.push_back({++questions_seen_, where.task.id, where.task.plan_index, index, words,
                          moved.to == task_state::auth_required, where.at, asked.question});
  if (words.empty() || moved.to == task_state::completed)
    plan.reasons.erase(index);
  else
    plan.reasons[index] = std::move(words);
}

// A row follows its summary; the counts follow the row.
void run_model::show_task(plan_row& plan, std::uint32_t index, timestamp at) {
  const auto& summary = view_.plans[static_cast<std::size_t>(&plan - plans_.data())].tasks[index];
  auto& row = plan.tasks[index];
  if (is_interrupted(row.state) && !is_interrupted(summary.state))
    end_question(plan, index);
  count(plan, index, static_cast<std::size_t>(-1));
  if (summary.generation != row.generation) { // a new task in its place
    row = task_row{.generation = summary.generation};
    plan.reasons.erase(index);
  }
  const bool changes = row.state != summary.state || row.attempt != summary.attempt;
  row.state = summary.state;
  row.attempt = summary.attempt;
  count(plan, index, 1);
  if (is_active(row.state)) {
    plan.active.insert(index);
    row.ended = timestamp{};
  } else {
    plan.active.erase(index);
    plan.progress.erase(index);
  }
  if (changes && is_terminal(row.state) && row.attempt > 0)
    row.ended = at;
  if (row.state == task_state::failed || row.state == task_state::rejected)
    plan.failed.insert(index);
  else
    plan.failed.erase(index);
  parallel_seen_max_ = std::max(parallel_seen_max_, counts_.working);
}

void run_model::end_question(const plan_row& plan, std::uint32_t index) {
  const auto at = static_cast<std::uint32_t>(&plan - plans_.data());
  std::erase_if(questions_,
                [&](const open_question& each) { return each.plan == at && each.index == index; });
}

plan_row* run_model::row_of(const task_address& task) {
  const bool known = !task.id.empty() && !task.lone && task.plan_index < plans_.size()
                     && task.task_index < plans_[task.plan_index].tasks.size();
  return known ? &plans_[task.plan_index] : nullptr;
}

void run_model::count_again(plan_row& plan) {
  const auto add = [](state_counts& to, const state_counts& counts, std::size_t sign) {
    for (const auto member :
         {&state_counts::pending, &state_counts::working, &state_counts::waiting,
          &state_counts::completed, &state_counts::failed, &state_counts::canceled,
          &state_counts::skipped})
      to.*member += sign * (counts.*member);
  };
  add(counts_, plan.counts, static_cast<std::size_t>(-1));
  plan.counts = {};
  for (std::uint32_t t = 0; t < plan.tasks.size(); ++t)
    if (!is_removed(plan, t))
      ++counter_of(plan.counts, plan, plan.tasks[t]);
  add(counts_, plan.counts, 1);
}

} // namespace troupe
