#include "actors/plan/plan_actor.hpp"

#include "actors/commands/message_rules.hpp"
#include "protocol/json/quoted.hpp"
#include <troupe/actors/limits.hpp>

#include <algorithm>

namespace troupe {

namespace {

/// Too much waits for the disk: a plan starts nothing more for the moment.
bool is_behind(const store_status& status) noexcept {
  return status.backlog_changes > release_backlog_max
         || status.backlog_bytes > release_backlog_bytes_max;
}

} // namespace

plan_actor::plan_actor(actor_pointer<handle> self, environment& env, plan_start start)
    : self_(self), env_(env), start_(std::move(start)),
      graph_(start_.resolved->graph(start_.index, *start_.view.spec)), view_(start_.view),
      running_(view_.tasks.size()), parked_(view_.tasks.size()), runs_(view_.tasks.size()),
      awaited_(start_.awaited_later.begin(), start_.awaited_later.end()) {
  for (const auto& edge : start_.resolved->outgoing)
    awaited_.insert(edge.task);
}

plan_actor::~plan_actor() {
  env_.deadlines.erase(self_->id());
  for (const auto& task : running_)
    kill(task);
  if (env_.stopping || is_settled(view_.state))
    return;
  move(moves_to(view_.state, start_.index, plan_state::failed, "the plan's actor died"));
}

actor_behavior<plan_handle> plan_actor::make_behavior() {
  begin();
  return {
      [this](const task_settled& fact) { on_settled(fact); },
      [this](const task_stopped&) {
        --stopping_count_;
        spawn_ready(); // tasks that waited for maxParallel
      },
      [this](const task_waits& fact) { on_waits(fact); },
      [this](const task_ready_again& fact) { on_ready_again(fact); },
      [this](const dependency_news& fact) {
        on_news(fact);
        reported_activity_.idle = false; // The objective takes it for going on.
        check();
      },
      [this](const tasks_awaited& message) { on_awaited(message); },
      [this](const close_plan& command) {
        end_by_ = command.by;
        close(command.to, command.reason, command.leaves);
        check();
      },
      [this](const pause_plan& command) { pause(command); },
      [this](task_input& message) { on_input(message); },
      [this](const task_cancel& command) { cancel_one(command); },
      [this](const reshape_tasks& message) { on_reshape(message); },
      [this](const objective_news& message) { on_objective(message); },
      [this](const plan_deadline&) { on_deadline(); },
      [this](change_wanted& wanted) { on_change_wanted(wanted); },
      [this](const release_more&) {
        if (is_behind(env_.records.status()))
          return release_later();
        release_pending_ = false;
        spawn_ready();
      },
  };
}

// Fresh or after a restart: every task that is free is looked at, and its summary says what it
// needs.
void plan_actor::begin() {
  make_scope();
  forget_questions_asked_again();
  end_ = start_.end;
  pauses_.note(view_.paused, env_.now());
  if (view_.state == plan_state::blocked && !view_.paused)
    move({plan_moved{start_.index, plan_event::work, ""}});
  calls_.add_from(view_, 0);
  // First those that have ended: a task may have been skipped before what it depends on ended.
  std::vector<std::uint32_t> ready;
  for (std::uint32_t task = 0; task < view_.tasks.size(); ++task)
    if (const auto& summary = view_.tasks[task]; is_satisfied(summary) && !is_removed(task)) {
      artifacts_around_ = artifacts_around_ || summary.has_artifacts;
      tell_awaited(task, true);
      graph_.satisfy(task, ready);
    }
  for (const auto task : graph_.start())
    ready.push_back(task);
  std::vector<dependency_news> bad;
  for (auto& news : std::exchange(start_.news, {}))
    if (!news.met)
      bad.push_back(std::move(news));
    else if (take_news(news))
      ready.push_back(news.task);
  std::sort(ready.begin(), ready.end());
  release(std::move(ready));
  abandon_withdrawn();
  for (const auto& news : bad)
    on_news(news);
  for (std::uint32_t task = 0; task < view_.tasks.size(); ++task)
    if (is_terminal(view_.tasks[task].state))
      end_calls(task);
  note_deadlines(0);
  check();
}

/// Agents ask anew what was asked in an earlier process. One that begins nothing does not: its
/// question stays open.
void plan_actor::forget_questions_asked_again() {
  const auto recorded = view_.tasks;
  forget_questions(view_);
  for (std::uint32_t task = 0; task < recorded.size(); ++task) {
    if (!is_interrupted(recorded[task].state))
      continue;
    const auto agent = env_.agents.find(env_.agents.name_or_default(view_.spec->tasks[task].agent));
    if (!agent || !agent->begins_nothing())
      continue;
    view_.tasks.edit(task).state = recorded[task].state;
    count(task);
  }
}

// -- tasks ----------------------------------------------------------------------------------------

// `ready` grows during the loop: a task that was to be skipped when the process ended releases its
// dependents here. Tasks that had begun in an earlier process start first, even during a pause;
// then the others by priority and in the order of the document.
void plan_actor::release(std::vector<std::uint32_t> ready) {
  std::vector<std::uint32_t> begun;
  std::vector<std::uint32_t> fresh;
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const auto task = ready[i];
    const auto state = view_.tasks[task].state;
    if (is_satisfied(view_.tasks[task]))
      continue;
    if (view_.tasks[task].is_skipped && has_begun(task)) {
      end_without_actor(task, {"skipped by request"});
      tell_awaited(task, true);
      graph_.satisfy(task, ready);
    } else if (is_terminal(state)) {
      fail_task(task,
                "task " + troupe::quoted(label(task)) + " had " + std::string{to_string(state)});
    } else {
      (has_begun(task) ? begun : fresh).push_back(task);
    }
  }
  std::sort(begun.begin(), begun.end());
  std::sort(fresh.begin(), fresh.end());
  const auto now = begun.empty() && fresh.empty() ? timestamp{} : env_.now();
  for (auto task = begun.rbegin(); task != begun.rend(); ++task)
    ready_.push_front({*task, now});
  for (const auto task : fresh)
    put_in_line({task, now});
  spawn_ready();
}

// Gives up the tasks that wait for one that an earlier process withdrew before it had begun:
// nothing will set them free.
void plan_actor::abandon_withdrawn() {
  for (std::uint32_t task = 0; task < view_.tasks.size(); ++task) {
    const auto& summary = view_.tasks[task];
    if (!is_lost(summary) || summary.attempt > 0 || is_removed(task))
      continue;
    ++failed_count_;
    tell_awaited(task, false);
    withdraw(graph_.abandon(task), {"task " + troupe::quoted(label(task)) + " was withdrawn"});
  }
}

// What has begun goes first.
void plan_actor::spawn_ready() {
  while (!ready_again_.empty() && !end_ && has_room_now()) {
    const auto task = ready_again_.front();
    ready_again_.pop_front();
    go_on_with(task);
  }
  std::size_t burst = 0;
  const bool in_line = ready_.size() > 1;
  const auto may_begin = [&] {
    return !ready_.empty() && (!view_.paused || has_begun(ready_.front().task));
  };
  while (may_begin() && !release_pending_ && !end_ && has_room_now()) {
    if (burst++ == release_burst_max)
      return release_later();
    const auto ready = ready_.front();
    ready_.pop_front();
    spawn_task(ready, in_line);
  }
}

/// Whether `maxParallel` lets one more of its tasks run.
bool plan_actor::has_room_now() const {
  return has_room(view_, running_count_ - parked_count_ + stopping_count_);
}

// Behind those of the same priority, and behind all that have begun in an earlier process.
void plan_actor::put_in_line(const ready_task& ready) {
  const auto priority = [this](const ready_task& of) {
    return view_.spec->tasks[of.task].priority;
  };
  const auto goes_first = [&](const ready_task& a, const ready_task& b) {
    return !has_begun(b.task) && priority(a) > priority(b);
  };
  if (ready_.empty() || !goes_first(ready, ready_.back()))
    return ready_.push_back(ready);
  ready_.insert(std::upper_bound(ready_.begin(), ready_.end(), ready, goes_first), ready);
}

// At once, or, while too much waits for the disk, a little later.
void plan_actor::release_later() {
  release_pending_ = true;
  if (is_behind(env_.records.status()))
    tell_after(release_pause, handle_of(self_), release_more{});
  else
    tell(handle_of(self_), release_more{});
}

// -- neighbours -----------------------------------------------------------------------------------

// A task that has begun had all that it waited for, in an earlier process or before it was tried
// again. Then the news only changes the graph.
void plan_actor::on_news(const dependency_news& fact) {
  if (is_removed(fact.task))
    return;
  if (!fact.met && !has_begun(fact.task)) {
    const auto reason = "it depends on a task of another plan that did not complete";
    withdraw({fact.task}, {reason});
    return fail_task(fact.task,
                     "task " + troupe::quoted(label(fact.task)) + " canceled: " + reason);
  }
  if (take_news(fact))
    release({fact.task});
}

/// Whether the task waits for nothing more.
bool plan_actor::take_news(const dependency_news& fact) {
  if (fact.met) {
    if (!outside_[fact.task].insert_or_assign(fact.from, fact).second)
      return false; // told again, by a plan that was tried again
    artifacts_around_ = artifacts_around_ || fact.has_artifacts;
  }
  return graph_.external_done(fact.task);
}

void plan_actor::tell_awaited(std::uint32_t task, bool met) {
  if (awaited_.contains(task))
    tell(start_.objective,
         awaited_task_ended{
             {start_.index, task}, met, view_.task_at(task), view_.tasks[task].has_artifacts});
}

// The end of a task that ended before was not told to the objective, because nobody waited for it.
void plan_actor::on_awaited(const tasks_awaited& message) {
  for (const auto task : message.tasks)
    if (awaited_.insert(task).second && is_terminal(view_.tasks[task].state))
      tell_awaited(task, is_satisfied(view_.tasks[task]));
}

// -- the plan itself ------------------------------------------------------------------------------

// The caller then calls `check`, after all other work of its own.
void plan_actor::close(plan_state to, const std::string& reason, const cancel_leaves_ptr& leaves) {
  if (end_)
    return;
  end_ = plan_end{to, reason};
  for (std::uint32_t task = 0; task < running_.size(); ++task)
    if (running_[task])
      tell(running_[task], cancel_run{.reason = reason,
                                      .metadata = {},
                                      .done = {},
                                      .by = end_by_,
                                      .leaves = leaves,
                                      .is_late = is_late(task)});
}

// The objective has recorded the pause. It is told that this is done once all that follows is
// committed.
void plan_actor::pause(const pause_plan& command) {
  apply(view_, change{}, command.pause);
  pauses_.note(view_.paused, env_.now());
  if (!command.pause.paused)
    spawn_ready();
  check();
  if (is_settled(view_.state))
    return;
  // An empty event: its continuation runs after all earlier changes.
  env_.records.commit(
      change_of({objective_edited{}}),
      [objective = start_.objective, fact = plan_heard{start_.index, command.command}]() mutable {
        tell(objective, std::move(fact));
      });
}

task_tally plan_actor::tally() const {
  return {.running = running_count_,
          .asking = asking_count_,
          .ready = static_cast<std::uint32_t>(ready_.size()),
          .waiting = graph_.waiting(),
          .failed = failed_count_,
          .parked = parked_count_,
          .ready_again = static_cast<std::uint32_t>(ready_again_.size()),
          .calling = count_calling()};
}

// Is it over? Does it wait for people, or work again?
void plan_actor::check() {
  if (is_settled(view_.state))
    return;
  tell_callers();
  const auto moves = decide(view_, start_.index, tally(), end_, failure_);
  const bool ends = !moves.empty() && is_settled(moves.back().to());
  if (ends && end_) {
    std::vector<std::uint32_t> rest;
    for (const auto& ready : ready_)
      rest.push_back(ready.task);
    const auto never = graph_.abandon_rest();
    rest.insert(rest.end(), never.begin(), never.end());
    ready_.clear();
    withdraw(rest, {end_->reason, {}, end_by_});
  }
  if (!ends)
    tell_activity();
  move(moves);
  if (ends)
    self_->quit();
}

// What the objective needs beside the plan's state to say whether anything of it can run.
void plan_actor::tell_activity() {
  const plan_activity now{running_count_ == 0 && ready_.empty(), start_.slots ? holding_count_ : 0};
  if (now == reported_activity_)
    return;
  reported_activity_ = now;
  tell(start_.objective, plan_fact{plan_activity_changed{start_.index, now}});
}

// The objective is told of a move once it is committed. With the plan's end it gets the slots back.
void plan_actor::move(const std::vector<plan_moved>& moves) {
  if (moves.empty())
    return;
  auto moved = change_of({moves.begin(), moves.end()});
  plan_fact fact{plan_progressed{start_.index, moves}};
  if (is_settled(view_.state))
    fact.fact = plan_ended{start_.index, moves, std::exchange(view_.tasks, {})};
  env_.records.commit(std::move(moved),
                      [objective = start_.objective, fact = std::move(fact)]() mutable {
                        tell(objective, std::move(fact));
                      });
}

/// Events of this plan, now. The view has them already; the caller commits them.
change plan_actor::change_of(std::vector<event> events) {
  change out;
  out.context = start_.context;
  out.at = env_.now();
  out.events = std::move(events);
  for (const auto& one : out.events)
    apply_event(view_, out, one);
  return out;
}

// `only` names the task whose question is answered: another task may have its slot by now.
void plan_actor::on_input(task_input& message) {
  if (!message.only.empty() && message.only != view_.task_at(message.task))
    message.command.done(no_question(message.only.str()));
  else if (const auto& task = running_[message.task])
    tell(task, std::move(message.command));
  else
    message.command.done(refusal_of_input(message.task));
}

error plan_actor::refusal_of_input(std::uint32_t task) const {
  const auto id = view_.task_at(task);
  return is_terminal(view_.tasks[task].state) ? task_has_ended(id.str())
                                              : task_has_not_begun(id.str());
}

std::string plan_actor::label(std::uint32_t task) const {
  return label_of(view_.spec->tasks[task], task);
}

} // namespace troupe
