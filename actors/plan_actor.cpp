#include "actors/plan_actor.hpp"

#include "actors/input_references.hpp"
#include "actors/status_message.hpp"
#include "actors/throttle_actor.hpp"
#include "protocol/fold/apply.hpp"
#include "protocol/text.hpp"
#include <troupe/actors/limits.hpp>

#include <algorithm>

namespace troupe {

plan_actor::plan_actor(actor_pointer<handle> self, environment& env, plan_start start)
    : self_(self), env_(env), start_(std::move(start)), graph_(start_.resolved->graph()),
      view_(start_.view), running_(view_.tasks.size()), parked_(view_.tasks.size()),
      awaited_(start_.awaited_later.begin(), start_.awaited_later.end()) {
  for (const auto& edge : start_.resolved->outward)
    awaited_.insert(edge.task);
}

plan_actor::~plan_actor() {
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
      [this](const task_waits& fact) { on_waits(fact); },
      [this](const task_ready& fact) { on_ready(fact); },
      [this](const dependency_news& fact) {
        on_news(fact);
        told_.idle = false; // The objective takes it for going on.
        check();
      },
      [this](const tasks_awaited& message) { on_awaited(message); },
      [this](const close_plan& command) {
        end_by_ = command.by;
        close(command.to, command.reason);
        check();
      },
      [this](const pause_plan& command) { pause(command); },
      [this](task_input& message) {
        if (!message.only.empty() && message.only != view_.task_at(message.task))
          message.command.done(make_error(errc::no_question,
                                          "task \"" + message.only.str()
                                              + "\" asks for no input, or was answered already",
                                          message.only.str()));
        else if (const auto& task = running_[message.task])
          tell(task, std::move(message.command));
        else
          message.command.done(refusal_of_input(message.task));
      },
      [this](const task_cancel& command) { cancel_one(command); },
      [this](const reshape_tasks& message) { on_reshape(message); },
      [this](const release_more&) {
        if (env_.records.status().backlog_changes > release_backlog_max)
          return release_later();
        release_pending_ = false;
        spawn_ready();
      },
  };
}

// Fresh or after a restart: every task that is free is looked at, and its slot says what it needs.
void plan_actor::begin() {
  make_scope();
  for (std::uint32_t task = 0; task < view_.tasks.size(); ++task)
    if (is_interrupted(view_.tasks[task].state)) // who asked before the process ended asks anew
      view_.tasks.edit(task).state = task_state::working;
  end_ = start_.end;
  if (view_.state == plan_state::blocked && !view_.paused)
    move({plan_moved{start_.index, plan_event::work, ""}});
  auto ready = graph_.start();
  for (const auto& changed : std::exchange(start_.changes, {}))
    for (const auto task : apply(graph_, changed))
      ready.push_back(task);
  std::sort(ready.begin(), ready.end());
  ready.erase(std::unique(ready.begin(), ready.end()), ready.end());
  std::erase_if(
      ready, [this](std::uint32_t task) { return !graph_.is_released(task) || is_removed(task); });
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
  check();
}

// -- tasks ---------------------------------------------------------------------------------------------------------------

// `ready` grows while it is walked: what had completed before a restart sets its dependents free
// here. What becomes free at one moment begins in the order of the document, what had begun in an
// earlier process before the rest; a pause does not hold that back.
void plan_actor::release(std::vector<std::uint32_t> ready) {
  std::vector<std::uint32_t> begun;
  std::vector<std::uint32_t> fresh;
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const auto task = ready[i];
    const auto state = view_.tasks[task].state;
    if (state == task_state::completed) {
      artifacts_around_ = artifacts_around_ || view_.tasks[task].has_artifacts;
      tell_awaited(task, true);
      graph_.complete(task, ready);
    } else if (is_terminal(state)) {
      fail_task(task, "task \"" + label(task) + "\" had " + std::string{to_string(state)});
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

// Tasks that an earlier process withdrew before they had begun: nothing will set them free.
void plan_actor::abandon_withdrawn() {
  for (std::uint32_t task = 0; task < view_.tasks.size(); ++task) {
    const auto& slot = view_.tasks[task];
    if (!is_terminal(slot.state) || slot.state == task_state::completed || slot.attempt > 0
        || is_removed(task))
      continue;
    ++failed_count_;
    tell_awaited(task, false);
    withdraw(graph_.abandon(task), {"task \"" + label(task) + "\" was withdrawn"});
  }
}

// What has begun goes first.
void plan_actor::spawn_ready() {
  while (!ready_again_.empty() && !end_ && has_room(view_, running_count_ - parked_count_)) {
    const auto task = ready_again_.front();
    ready_again_.pop_front();
    go_on_with(task);
  }
  std::size_t burst = 0;
  const bool in_line = ready_.size() > 1;
  const auto may_begin = [&] {
    return !ready_.empty() && (!view_.paused || has_begun(ready_.front().task));
  };
  while (may_begin() && !release_pending_ && !end_
         && has_room(view_, running_count_ - parked_count_)) {
    if (burst++ == release_burst_max)
      return release_later();
    const auto ready = ready_.front();
    ready_.pop_front();
    spawn_task(ready, in_line);
  }
}

// At once, or, while too much waits for the disk, a little later.
void plan_actor::release_later() {
  release_pending_ = true;
  if (env_.records.status().backlog_changes <= release_backlog_max)
    tell(handle_of(self_), release_more{});
  else
    tell_after(release_pause, handle_of(self_), release_more{});
}

// `in_line`: others follow it, and they are to run in this order. What an actor spawns its worker
// runs last come, first served; what comes from outside waits in line. The plan asks for the first
// slots of its tasks, so that they are granted in its order, too.
void plan_actor::spawn_task(const ready_task& ready, bool in_line) {
  const auto task = ready.task;
  const auto& slot = view_.tasks[task];
  const auto& spec = view_.spec->tasks[task];
  task_start start;
  start.scope = scope_;
  start.task_index = task;
  start.generation = slot.generation;
  start.agent = env_.agents.name_or_default(spec.agent);
  start.dependencies = dependencies_of(task);
  start.attempts = slot.attempt;
  start.exists = slot.state != task_state::unspecified;
  start.ready_at = ready.since;
  if (needs_slots(env_, start_.slots, start.agent))
    start.ticket = ++env_.last_ticket;
  const task_ready wanted{task, start.ticket};
  ++running_count_;
  running_[task] = in_line ? spawn_actor<task_actor>(env_.system, env_, std::move(start))
                           : spawn_actor<task_actor>(*self_, env_, std::move(start));
  if (wanted.ticket != 0)
    static_cast<void>(request_slots_for(wanted, ready.since));
}

bool plan_actor::request_slots_for(const task_ready& task, timestamp since) {
  return request_slots(env_, start_.slots,
                       env_.agents.name_or_default(view_.spec->tasks[task.task].agent),
                       {.ticket = task.ticket,
                        .objective = start_.context,
                        .owner = start_.owner,
                        .priority = view_.spec->tasks[task.task].priority,
                        .has_begun = has_begun(task.task) || parked_[task.task],
                        .waiting_since = since},
                       running_[task.task]);
}

std::vector<dependency_ref> plan_actor::dependencies_of(std::uint32_t task) const {
  std::vector<dependency_ref> out;
  const auto& spec = view_.spec->tasks[task];
  const bool refers = has_references(spec.input);
  if (spec.dependencies.empty() || (!artifacts_around_ && !refers))
    return out;
  const auto add = [&](task_id id, const task_spec& other, std::vector<std::string> written) {
    out.push_back(
        {std::move(id), other.key, other.name,
         refers ? names_for_references(other, std::move(written)) : std::vector<std::string>{}});
  };
  for (auto& one : start_.resolved->dependencies_of({start_.index, task}, spec)) {
    if (one.at.plan == start_.index)
      add(view_.task_at(one.at.task), view_.spec->tasks[one.at.task], std::move(one.written));
    else if (const auto* other = outside(task, one.at))
      add(other->id, *other->spec, std::move(one.written));
  }
  return out;
}

// What `task` has heard of one of another plan that it waits for; null while there is nothing.
const dependency_news* plan_actor::outside(std::uint32_t task, const task_position& other) const {
  const auto news = outside_.find(task);
  if (news == outside_.end())
    return nullptr;
  const auto it = news->second.find(other);
  return it == news->second.end() ? nullptr : &it->second;
}

void plan_actor::on_settled(const task_settled& fact) {
  set_parked(fact.task, false);
  std::erase_if(ready_again_, [&](const task_ready& other) { return other.task == fact.task; });
  running_[fact.task] = nullptr;
  --running_count_;
  on_task_moved(fact.task, task_moved{fact.state, fact.attempt, nullptr});
  if (fact.has_artifacts)
    apply(view_, place_of(fact.task), task_artifact{});
  artifacts_around_ = artifacts_around_ || fact.has_artifacts;
  if (fact.state == task_state::completed) {
    tell_awaited(fact.task, true);
    std::vector<std::uint32_t> ready;
    graph_.complete(fact.task, ready);
    release(std::move(ready));
  } else {
    fail_task(fact.task, "task \"" + label(fact.task) + "\" " + std::string{to_string(fact.state)}
                             + (fact.reason.empty() ? "" : ": " + fact.reason));
    spawn_ready(); // whom maxParallel held back
  }
  check();
}

void plan_actor::on_waits(const task_waits& fact) {
  if (!running_[fact.task])
    return;
  set_parked(fact.task, fact.parked);
  on_task_moved(fact.task,
                task_moved{fact.waiting ? task_state::input_required : task_state::working,
                           fact.attempt, nullptr});
  if (fact.question)
    tell_question(fact.task, fact.question);
  spawn_ready(); // whom it makes room for
  check();
}

void plan_actor::on_ready(const task_ready& fact) {
  if (!running_[fact.task])
    return;
  ready_again_.push_back(fact);
  spawn_ready();
  check();
}

// Its turn in the plan has come again; what other slots it needs is asked for ahead of those that
// have not begun.
void plan_actor::go_on_with(const task_ready& task) {
  const bool waits = request_slots_for(task, env_.now());
  set_parked(task.task, false);
  if (!waits)
    tell(running_[task.task], slot_granted{task.ticket});
}

void plan_actor::set_parked(std::uint32_t task, bool parked) {
  uncount(task);
  parked_[task] = parked;
  count(task);
}

// What a task has committed.
void plan_actor::on_task_moved(std::uint32_t task, const task_moved& moved) {
  const bool asked = is_interrupted(view_.tasks[task].state);
  uncount(task);
  apply(view_, place_of(task), moved);
  count(task);
  if (asked && !is_interrupted(moved.to))
    tell_question(task, nullptr);
}

void plan_actor::count(std::uint32_t task) {
  const bool asks = is_interrupted(view_.tasks[task].state);
  asking_count_ += asks ? 1 : 0;
  parked_count_ += parked_[task] ? 1 : 0;
  holding_count_ += asks && !parked_[task] ? 1 : 0;
}

/// What `count` added before the task changes.
void plan_actor::uncount(std::uint32_t task) {
  const bool asks = is_interrupted(view_.tasks[task].state);
  asking_count_ -= asks ? 1 : 0;
  parked_count_ -= parked_[task] ? 1 : 0;
  holding_count_ -= asks && !parked_[task] ? 1 : 0;
}

// The objective knows what is asked, with as much of the words as it shows.
void plan_actor::tell_question(std::uint32_t task, const message_ptr& question) {
  question_changed fact{view_.task_at(task), std::nullopt};
  if (question)
    fact.question =
        pending_input{fact.task, shortened(text_of(question->parts), question_shown_bytes_max),
                      env_.now(), start_.index, task};
  tell(start_.objective, plan_fact{std::move(fact)});
}

// A task will never complete. failFast ends the plan; `continue` only gives up what depended on it.
void plan_actor::fail_task(std::uint32_t task, const std::string& reason) {
  ++failed_count_;
  tell_awaited(task, false);
  withdraw(graph_.abandon(task), {reason, {}, end_by_});
  if (failure_.empty())
    failure_ = reason;
  if (view_.spec->failure == on_failure::fail_fast)
    close(plan_state::failed, reason);
}

void plan_actor::withdraw(const std::vector<std::uint32_t>& tasks, const withdrawal_order& order) {
  std::vector<std::uint32_t> fresh;
  std::vector<std::uint32_t> ended;
  for (const auto task : tasks) {
    if (is_terminal(view_.tasks[task].state))
      continue;
    ended.push_back(task);
    if (has_begun(task))
      end_begun(task, order);
    else
      fresh.push_back(task);
  }
  if (!fresh.empty()) {
    emit(tasks_withdrawn{start_.index, std::move(fresh), task_state::canceled, order.reason,
                         order.metadata});
    commit(order.then, order.by);
  }
  for (const auto task : ended)
    tell_awaited(task, false);
}

// A task that began in an earlier process and has no actor in this one.
void plan_actor::end_begun(std::uint32_t task, const withdrawal_order& order) {
  const auto id = view_.task_at(task);
  change change;
  change.context = start_.context;
  change.task = {id, false, start_.index, task};
  change.at = env_.now();
  change.by = order.by;
  change.events.push_back(
      task_moved{task_state::canceled, view_.tasks[task].attempt,
                 make_status_message(order.reason, start_.context, id, order.metadata)});
  apply(view_, change, std::get<task_moved>(change.events.back()));
  env_.records.commit(std::move(change), order.then);
}

void plan_actor::cancel_one(const task_cancel& command) {
  if (const auto& task = running_[command.task])
    return tell(task, command.command);
  if (is_terminal(view_.tasks[command.task].state))
    return; // the sender gets its answer when the message is dropped
  std::erase_if(ready_, [&](const ready_task& other) { return other.task == command.task; });
  const auto& [reason, metadata, done, by] = command.command;
  withdraw({command.task}, {reason, metadata, by,
                            [&records = env_.records, id = view_.task_at(command.task),
                             done = done] { records.read_task(id, done); }});
  fail_task(command.task, "task \"" + label(command.task) + "\" canceled: " + reason);
  check();
}

// -- neighbours ----------------------------------------------------------------------------------------------------------

// A task that has begun had what it waits for, in an earlier process or before it was tried again:
// then the news only lets the graph go on.
void plan_actor::on_news(const dependency_news& fact) {
  if (is_removed(fact.task))
    return;
  if (!fact.met && !has_begun(fact.task)) {
    const auto reason = "it depends on a task of another plan that did not complete";
    withdraw({fact.task}, {reason});
    return fail_task(fact.task, "task \"" + label(fact.task) + "\" canceled: " + reason);
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

// What has ended already was not awaited then.
void plan_actor::on_awaited(const tasks_awaited& message) {
  for (const auto task : message.tasks)
    if (awaited_.insert(task).second && is_terminal(view_.tasks[task].state))
      tell_awaited(task, view_.tasks[task].state == task_state::completed);
}

// -- its shape -----------------------------------------------------------------------------------------------------------

// Its tasks find in it what they were spawned with, whatever is changed later: what has begun is
// fixed.
void plan_actor::make_scope() {
  scope_ = std::make_shared<const plan_scope>(
      plan_scope{view_.spec, start_.index, start_.context, start_.owner, start_.objective_name,
                 handle_of(self_), start_.slots, start_.trace});
}

void plan_actor::on_reshape(const reshape_tasks& message) {
  auto terms = message.terms;
  terms.now = env_.now();
  terms.is_fixed = [this](std::uint32_t task) {
    return has_begun(task) || running_[task] != nullptr;
  };
  const auto refuse = [&](error why) {
    message.done(std::move(why));
    tell(start_.objective, shape_settled{start_.index, nullptr});
  };
  if (end_)
    return refuse(
        make_error(errc::invalid_transition, "the plan is being ended and stays as it is", "id"));
  if (!shape_)
    shape_.emplace(*view_.spec);
  auto decided = decide(view_, *shape_, message.command, terms);
  if (!decided)
    return refuse(decided.error());
  const auto changed = std::make_shared<const plan_changed>(std::move(*decided));
  emit(*changed);
  if (auto removed = removed_by(*changed); !removed.empty())
    emit(tasks_withdrawn{start_.index, std::move(removed), task_state::canceled,
                         "removed from its plan"});
  commit(
      [objective = start_.objective, changed, id = view_.spec->id, done = message.done] {
        tell(objective, shape_settled{changed->plan, changed});
        done(id);
      },
      changed->author);
  follow(*changed);
}

// What the change sets free begins; what it holds back leaves the line.
void plan_actor::follow(const plan_changed& changed) {
  make_scope();
  running_.resize(view_.tasks.size());
  parked_.resize(view_.tasks.size());
  auto freed = apply(graph_, changed);
  std::vector<ready_task> moved;
  bool holds_back = false;
  for (const auto& each : changed.operations) {
    holds_back = holds_back || std::holds_alternative<remove_task<std::uint32_t>>(each)
                 || std::holds_alternative<add_dependency<std::uint32_t>>(each);
    const auto* set = std::get_if<set_priority<std::uint32_t>>(&each);
    if (!set)
      continue;
    const auto at = std::ranges::find_if(
        ready_, [&](const ready_task& ready) { return ready.task == set->task; });
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
  // A task that was held back and let go in the same change stands in line already.
  std::erase_if(freed, [this](std::uint32_t task) {
    return std::ranges::find(ready_, task, &ready_task::task) != ready_.end();
  });
  release(std::move(freed));
  check();
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

// -- the plan itself -----------------------------------------------------------------------------------------------------

// The caller then calls `check`, after all other work of its own.
void plan_actor::close(plan_state to, const std::string& reason) {
  if (end_)
    return;
  end_ = plan_end{to, reason};
  for (const auto& task : running_)
    if (task)
      tell(task, cancel_run{reason, {}, {}, end_by_});
}

// The objective has recorded the pause. It hears that this is done once all that follows is
// committed.
void plan_actor::pause(const pause_plan& command) {
  apply(view_, place_of(0), pause_changed{command.paused});
  if (!command.paused)
    spawn_ready();
  check();
  if (is_settled(view_.state))
    return;
  emit(objective_edited{}); // nothing; stands behind what came before it
  commit(
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
          .ready_again = static_cast<std::uint32_t>(ready_again_.size())};
}

// Is it over? Does it wait for people, or work again?
void plan_actor::check() {
  if (is_settled(view_.state))
    return;
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
    tell_standing();
  move(moves);
  if (ends)
    self_->quit();
}

// What the objective needs beside the plan's state to say whether anything of it can run.
void plan_actor::tell_standing() {
  const plan_standing now{running_count_ == 0 && ready_.empty(), start_.slots ? holding_count_ : 0};
  if (now == told_)
    return;
  told_ = now;
  tell(start_.objective, plan_fact{plan_stands{start_.index, now}});
}

// The objective hears of it once it is committed. With the plan's end it gets the slots back.
void plan_actor::move(const std::vector<plan_moved>& moves) {
  if (moves.empty())
    return;
  for (const auto& one : moves)
    emit(one);
  plan_fact fact{plan_progressed{start_.index, moves.back()}};
  if (is_settled(view_.state))
    fact.fact = plan_ended{moves.back(), std::exchange(view_.tasks, {})};
  commit([objective = start_.objective, fact = std::move(fact)]() mutable {
    tell(objective, std::move(fact));
  });
}

/// For the fold: what happens to this task, now.
change plan_actor::place_of(std::uint32_t task) const {
  change out;
  out.at = env_.now();
  out.task.lone = false;
  out.task.task_index = task;
  return out;
}

template<class Event>
void plan_actor::emit(Event fact) {
  if constexpr (requires { apply(view_, place_of(0), fact); })
    apply(view_, place_of(0), fact);
  pending_.emplace_back(std::move(fact));
}

void plan_actor::commit(committed_fn then, std::optional<std::string> by) {
  change change;
  change.by = std::move(by);
  change.context = start_.context;
  change.at = env_.now();
  change.events = std::exchange(pending_, {});
  env_.records.commit(std::move(change), std::move(then));
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
