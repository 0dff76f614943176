// Changes of a plan's shape while it runs.
#include "actors/commands/once_answer.hpp"
#include "actors/commands/once_desk.hpp"
#include "actors/plan/plan_actor.hpp"
#include "actors/slots/throttle_actor.hpp"

#include <algorithm>
#include <atomic>

namespace troupe {

namespace {

/// Answers a change once all that it waits for has come.
class answer_of_change {
public:
  answer_of_change(reply_port<change_report> to, change_report report)
      : to_(std::move(to)), report_(std::move(report)) {}

  void wait_for_one() { ++left_; }
  void one_came() {
    if (--left_ == 0)
      to_(std::move(report_));
  }
  void refuse(error why) const { to_(std::move(why)); }

private:
  reply_port<change_report> to_;
  change_report report_;
  std::atomic<std::uint32_t> left_{1}; ///< The commit.
};

} // namespace

// Tasks that have begun keep the plan as it was when they began: what has begun is
// fixed.
void plan_actor::make_scope() {
  auto due = view_.spec->deadline;
  if (const auto& other = start_.objective_deadline; other && (!due || *other < *due))
    due = other;
  plan_ = std::make_shared<const plan_environment>(plan_environment{
      view_.spec, start_.index, start_.context, start_.owner, start_.objective_name,
      handle_of(self_), start_.slots, start_.trace, start_.references, start_.made, due});
}

shape_terms plan_actor::own_terms(shape_terms terms) const {
  terms.now = env_.now();
  terms.run_of = [this](std::uint32_t task) {
    return running_[task] ? runs_[task] : task_run::none;
  };
  terms.is_awaited = [this](std::uint32_t task) { return awaited_.contains(task); };
  terms.waits_outside = [this](std::uint32_t task) {
    const auto& on = view_.spec->tasks[task].dependency_indexes;
    const auto known = outside_.find(task);
    const auto told = known == outside_.end() ? 0 : known->second.size();
    return told < static_cast<std::size_t>(std::ranges::count(on, elsewhere));
  };
  return terms;
}

void plan_actor::on_reshape(const reshape_tasks& message) {
  const auto refuse = [&](error why) {
    message.done(std::move(why));
    tell(start_.objective, shape_settled{start_.index, nullptr});
  };
  if (end_)
    return refuse(
        make_error(errc::invalid_transition, "the plan is being ended and stays as it is", "id"));
  if (!shape_)
    shape_.emplace(*view_.spec);
  auto decided = decide(view_, *shape_, message.command, own_terms(message.terms));
  if (!decided)
    return refuse(decided.error());
  if (message.command.dry_run) {
    message.done(std::move(decided->report));
    return tell(start_.objective, shape_settled{start_.index, nullptr});
  }
  const auto changed = std::make_shared<const plan_changed>(std::move(decided->changed));
  const auto has_actor = [this](std::uint32_t task) {
    const bool is_new = task >= running_.size();
    return !is_new
           && (running_[task] || (has_begun(task) && !is_terminal(view_.tasks[task].state)));
  };
  auto reshaped = change_of(events_of(view_, *changed, has_actor));
  reshaped.by = changed->author;
  reshaped.conditions = answered(message.command.conditions, answer_with(decided->report));
  // Answered once the change is durable, and the tasks that it ends have ended.
  const auto answer = std::make_shared<answer_of_change>(message.done, decided->report);
  tell_tasks(*changed, [answer] {
    answer->wait_for_one();
    return reply_port<task_ptr>([answer](const result<task_ptr>&) { answer->one_came(); },
                                make_error(errc::unavailable, "the task has ended"));
  });
  env_.records.commit(std::move(reshaped), [answer](const commit_outcome& outcome) {
    if (outcome.conflict)
      answer->refuse(came_before());
    answer->one_came();
  });
  // What the objective submits from now on becomes durable after the change. So it need not wait
  // for the disk before it passes on the next one.
  tell(start_.objective, shape_settled{changed->plan, changed});
  follow(*changed);
}

// The objective has committed the change already; the plan's view follows.
void plan_actor::on_objective(const objective_news& message) {
  if (is_settled(view_.state))
    return;
  change where;
  where.at = env_.now();
  for (const auto& each : message.changed->operations)
    if (const auto* plan = std::get_if<edit_plan_of<std::uint32_t>>(&each)) {
      if (plan->plan == start_.index)
        apply(view_, where, plan_changed{start_.index, {plan->edit}, {}, {}, 0});
    } else if (const auto* edited = std::get_if<edit_objective>(&each)) {
      if (edited->deadline)
        start_.objective_deadline = edited->deadline->at;
      if (edited->priority) {
        start_.objective_priority = *edited->priority;
        reorder_slots_of(env_, start_.slots, {start_.context, *edited->priority});
      }
    }
  make_scope();
  spawn_ready();
  check();
}

void plan_actor::tell_tasks(const plan_changed& changed,
                            const std::function<reply_port<task_ptr>()>& ended) {
  const auto by = std::optional{changed.author};
  for (const auto& each : changed.operations) {
    if (const auto* skipped = std::get_if<skip_task<std::uint32_t>>(&each)) {
      end_by_change(skipped->task, {"skipped by request", {{"opt/v1/skipped", true}}, by}, ended);
    } else if (const auto* removed = std::get_if<remove_task<std::uint32_t>>(&each)) {
      end_by_change(removed->task, {"removed from its plan", {}, by}, ended);
    } else if (const auto* completed = std::get_if<complete_task<std::uint32_t>>(&each)) {
      end_by_change(completed->task,
                    {.reason = "completed by request",
                     .by = by,
                     .as = task_event::complete,
                     .artifacts = completed->artifacts},
                    ended);
    } else if (const auto* again = std::get_if<retry_task<std::uint32_t>>(&each)) {
      if (again->task < running_.size() && running_[again->task])
        tell(running_[again->task],
             task_timer{task_timer::purpose::retry, view_.tasks[again->task].attempt});
    }
  }
}

// A task that has not begun was ended by the event of the change, so only tasks that have begun are
// ended here.
void plan_actor::end_by_change(std::uint32_t task, withdrawal_order order,
                               const std::function<reply_port<task_ptr>()>& ended) {
  if (task >= running_.size())
    return;
  if (running_[task])
    return tell(
        running_[task],
        cancel_run{order.reason, order.metadata, ended(), order.by, {}, order.as, order.artifacts});
  if (!has_begun(task) || is_terminal(view_.tasks[task].state))
    return;
  order.then = [done = ended()](const commit_outcome&) { done(task_ptr{}); };
  end_without_actor(task, order);
}

// What the change sets free begins; what it holds back leaves the line.
void plan_actor::follow(const plan_changed& changed) {
  make_scope();
  running_.resize(view_.tasks.size());
  parked_.resize(view_.tasks.size());
  const auto known = static_cast<std::uint32_t>(runs_.size());
  runs_.resize(view_.tasks.size());
  for (const auto& each : changed.operations)
    if (const auto* set = std::get_if<set_deadline<std::uint32_t>>(&each))
      note_deadline(set->task);
    else if (const auto* put = std::get_if<put_task<std::uint32_t>>(&each))
      note_deadline(put->task);
  note_deadlines(known);
  calls_.add_from(view_, known);
  auto freed = apply(graph_, changed);
  follow_tasks(changed, freed);
  std::vector<ready_task> moved;
  bool holds_back = false;
  for (const auto& each : changed.operations) {
    holds_back = holds_back || std::holds_alternative<remove_task<std::uint32_t>>(each)
                 || std::holds_alternative<add_dependency<std::uint32_t>>(each);
    const auto* set = std::get_if<set_priority<std::uint32_t>>(&each);
    const auto* put = std::get_if<put_task<std::uint32_t>>(&each);
    if (!set && !put)
      continue;
    const auto task = set ? set->task : put->task;
    const auto at =
        std::ranges::find_if(ready_, [&](const ready_task& ready) { return ready.task == task; });
    if (at == ready_.end())
      continue;
    moved.push_back(*at);
    ready_.erase(at);
  }
  for (const auto& ready : moved)
    put_in_line(ready);
  if (holds_back)
    std::erase_if(ready_,
                  [this](const ready_task& ready) { return !graph_.is_released(ready.task); });
  std::erase_if(ready_, [this](const ready_task& ready) {
    return is_terminal(view_.tasks[ready.task].state);
  });
  // If one change holds a task back and lets it go, the task is in the line already. If it lets a
  // task go and holds it back, the task waits.
  std::erase_if(freed, [this](std::uint32_t task) {
    return !graph_.is_released(task)
           || std::ranges::find(ready_, task, &ready_task::task) != ready_.end();
  });
  // A change may free a task twice: by its shape, and by the end of what it depends on.
  std::ranges::sort(freed);
  const auto twice = std::ranges::unique(freed);
  freed.erase(twice.begin(), twice.end());
  release(std::move(freed));
  check();
}

// Tasks that ended by the change, and those that replace others.
void plan_actor::follow_tasks(const plan_changed& changed, std::vector<std::uint32_t>& freed) {
  bool counts_again = false;
  const auto satisfied = [&](std::uint32_t task) {
    counts_again = true;
    if (!is_satisfied(view_.tasks[task]))
      return; // it is when its actor has ended it
    artifacts_around_ = artifacts_around_ || view_.tasks[task].has_artifacts;
    tell_awaited(task, true);
    graph_.satisfy(task, freed);
  };
  const auto can_wait = [this](std::uint32_t task) { return !has_begun(task) && !running_[task]; };
  for (const auto& each : changed.operations)
    if (const auto* again = std::get_if<retry_task<std::uint32_t>>(&each)) {
      counts_again = true;
      if (!running_[again->task])
        graph_.renew(again->task, freed, can_wait);
    }
  for (const auto& each : changed.operations)
    if (const auto* skipped = std::get_if<skip_task<std::uint32_t>>(&each))
      satisfied(skipped->task);
    else if (const auto* completed = std::get_if<complete_task<std::uint32_t>>(&each))
      satisfied(completed->task);
  if (!counts_again)
    return;
  failed_count_ = count_lost();
  if (failed_count_ == 0)
    failure_.clear();
  // What waits again does not stand in line.
  std::erase_if(ready_,
                [this](const ready_task& ready) { return !graph_.is_released(ready.task); });
}

std::uint32_t plan_actor::count_lost() const {
  std::uint32_t out = 0;
  for (std::uint32_t task = 0; task < view_.tasks.size(); ++task)
    out += is_lost(view_.tasks[task]) && !is_removed(task) ? 1U : 0U;
  return out;
}

} // namespace troupe
