#include "actors/plan_actor.hpp"

#include <algorithm>

#include "actors/input_references.hpp"
#include "actors/limits.hpp"
#include "actors/status_message.hpp"

namespace troupe {

plan_actor::plan_actor(actor_pointer<handle> self, environment& env, plan_start start)
    : self_(self), env_(env), start_(std::move(start)),
      graph_(start_.resolved->graph(static_cast<std::uint32_t>(start_.view.tasks.size()))), state_(start_.view.state),
      slots_(start_.view.tasks), running_(slots_.size()), waiting_for_input_(slots_.size()),
      outward_(start_.resolved->outward) {
  // nop
}

plan_actor::~plan_actor() {
  for (const auto& task : running_)
    kill(task);
  if (env_.stopping || is_settled(state_))
    return;
  move(plan_state::failed, "the plan's actor died");
}

actor_behavior<plan_handle> plan_actor::make_behavior() {
  begin();
  return {
      [this](const task_settled& what) { on_settled(what); },
      [this](const task_waits& what) { on_waits(what); },
      [this](const dependency_news& what) {
        on_news(what);
        told_.idle = false; // The objective takes it for going on.
        check();
      },
      [this](const outward_changed& what) { on_outward(what); },
      [this](const close_plan& what) {
        close(what.to, what.reason);
        check();
      },
      [this](const pause_plan& what) { pause(what.paused); },
      [this](task_input& what) {
        if (const auto& task = running_[what.task])
          tell(task, std::move(what.what));
        else
          what.what.done(refusal_of_input(what.task));
      },
      [this](const task_cancel& what) { cancel_one(what); },
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
  scope_ = std::make_shared<const plan_scope>(plan_scope{start_.view.spec, start_.index, start_.context, start_.owner,
                                                         start_.objective_name, handle_of(self_), start_.slots});
  if (start_.closing)
    close(start_.closing->to, start_.closing->reason);
  if (start_.view.paused)
    pause(true); // as it was when the process ended
  else if (state_ != plan_state::working)
    move(plan_state::working, "");
  release(graph_.start());
  give_up_withdrawn();
  for (const auto& news : std::exchange(start_.news, {}))
    on_news(news);
  check();
}

// -- tasks ---------------------------------------------------------------------------------------------------------------

// `ready` grows while it is walked: what had completed before a restart sets its dependents free here.
void plan_actor::release(std::vector<std::uint32_t> ready) {
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const auto task = ready[i];
    const auto state = slots_[task].state;
    if (state == task_state::completed) {
      artifacts_around_ = artifacts_around_ || slots_[task].has_artifacts;
      tell_outward(task, true);
      graph_.complete(task, ready);
    } else if (is_terminal(state)) {
      lose(task, "task \"" + label(task) + "\" had " + std::string{to_string(state)});
    } else if (has_begun(task)) {
      ready_.push_front(task); // in an earlier process; a pause does not hold it back
    } else {
      ready_.push_back(task);
    }
  }
  spawn_ready();
}

// Tasks that an earlier process withdrew before they had begun: nothing will set them free.
void plan_actor::give_up_withdrawn() {
  for (std::uint32_t task = 0; task < slots_.size(); ++task)
    if (is_terminal(slots_[task].state) && slots_[task].state != task_state::completed && slots_[task].attempt == 0) {
      ++failed_count_;
      tell_outward(task, false);
      withdraw(graph_.abandon(task), "task \"" + label(task) + "\" was withdrawn");
    }
}

void plan_actor::spawn_ready() {
  const auto limit = start_.view.spec->parallel_max;
  std::size_t burst = 0;
  const auto may_begin = [&] { return !ready_.empty() && (!paused_ || has_begun(ready_.front())); };
  while (may_begin() && !release_pending_ && !closing_ && (limit == 0 || running_count_ < limit)) {
    if (burst++ == release_burst_max)
      return release_later();
    const auto task = ready_.front();
    ready_.pop_front();
    spawn_task(task);
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

void plan_actor::spawn_task(std::uint32_t task) {
  const auto& slot = slots_[task];
  const auto& spec = start_.view.spec->tasks[task];
  task_start start;
  start.scope = scope_;
  start.task_index = task;
  start.generation = slot.generation;
  start.agent = env_.agents.name_or_default(spec.agent);
  start.dependencies = dependencies_of(task);
  start.attempts = slot.attempt;
  start.exists = slot.state != task_state::unspecified;
  ++running_count_;
  running_[task] = spawn_actor<task_actor>(*self_, env_, std::move(start));
}

std::vector<dependency_ref> plan_actor::dependencies_of(std::uint32_t task) const {
  std::vector<dependency_ref> out;
  const auto& spec = start_.view.spec->tasks[task];
  const bool refers = has_references(spec.input);
  if (spec.dependencies.empty() || (!artifacts_around_ && !refers))
    return out;
  const auto add = [&](task_id id, const task_spec& other, std::vector<std::string> written) {
    out.push_back({std::move(id), other.key, other.name,
                   refers ? names_for_references(other, std::move(written)) : std::vector<std::string>{}});
  };
  for (auto& one : start_.resolved->dependencies_of(task, spec)) {
    if (one.at.plan == start_.index)
      add(start_.view.task_at(one.at.task), start_.view.spec->tasks[one.at.task], std::move(one.written));
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

void plan_actor::on_settled(const task_settled& what) {
  running_[what.task] = nullptr;
  --running_count_;
  if (waiting_for_input_[what.task]) {
    waiting_for_input_[what.task] = false;
    --waiting_count_;
  }
  auto& slot = slots_[what.task];
  slot.state = what.state;
  slot.has_artifacts = what.has_artifacts;
  artifacts_around_ = artifacts_around_ || what.has_artifacts;
  if (what.state == task_state::completed) {
    tell_outward(what.task, true);
    std::vector<std::uint32_t> ready;
    graph_.complete(what.task, ready);
    release(std::move(ready));
  } else {
    lose(what.task, "task \"" + label(what.task) + "\" " + std::string{to_string(what.state)}
                        + (what.reason.empty() ? "" : ": " + what.reason));
    spawn_ready(); // whom maxParallel held back
  }
  check();
}

void plan_actor::on_waits(const task_waits& what) {
  if (!running_[what.task] || waiting_for_input_[what.task] == what.waiting)
    return;
  waiting_for_input_[what.task] = what.waiting;
  waiting_count_ += what.waiting ? 1 : -1u;
  check();
}

// A task will never complete. failFast ends the plan; `continue` only gives up what depended on it.
void plan_actor::lose(std::uint32_t task, const std::string& reason) {
  ++failed_count_;
  tell_outward(task, false);
  const auto lost = graph_.abandon(task);
  withdraw(lost, reason);
  if (start_.view.spec->failure == on_failure::fail_fast)
    close(plan_state::failed, reason);
  else if (closing_reason_.empty())
    closing_reason_ = reason;
}

void plan_actor::withdraw(const std::vector<std::uint32_t>& tasks, const std::string& reason, const boost::json::object& metadata,
                          committed_fn then) {
  std::vector<std::uint32_t> fresh;
  for (const auto task : tasks) {
    if (is_terminal(slots_[task].state))
      continue;
    if (has_begun(task))
      end_begun(task, reason, metadata, then);
    else
      fresh.push_back(task);
    slots_[task].state = task_state::canceled;
    tell_outward(task, false);
  }
  if (fresh.empty())
    return;
  change what;
  what.context = start_.context;
  what.at = env_.now();
  what.events.push_back(tasks_withdrawn{start_.index, std::move(fresh), task_state::canceled, reason, metadata});
  env_.records.commit(std::move(what), std::move(then));
}

// A task that began in an earlier process and has no actor in this one.
void plan_actor::end_begun(std::uint32_t task, const std::string& reason, const boost::json::object& metadata, committed_fn then) {
  const auto id = start_.view.task_at(task);
  change what;
  what.context = start_.context;
  what.task = {id, false, start_.index, task};
  what.at = env_.now();
  what.events.push_back(task_moved{task_state::canceled, slots_[task].attempt,
                                   make_status_message(reason, start_.context, id, metadata)});
  env_.records.commit(std::move(what), std::move(then));
}

void plan_actor::cancel_one(const task_cancel& what) {
  if (const auto& task = running_[what.task])
    return tell(task, what.what);
  if (is_terminal(slots_[what.task].state))
    return; // whoever asked hears of it when the message is dropped
  std::erase(ready_, what.task);
  const auto& [reason, metadata, done] = what.what;
  withdraw({what.task}, reason, metadata,
           [&records = env_.records, id = start_.view.task_at(what.task), done = done] { done(records.find_task(id)); });
  lose(what.task, "task \"" + label(what.task) + "\" canceled: " + reason);
  check();
}

// -- neighbours ----------------------------------------------------------------------------------------------------------

// A task that has begun had what it waits for, in an earlier process or before it was tried again: then the news only lets the graph go on.
void plan_actor::on_news(const dependency_news& what) {
  if (!what.met && !has_begun(what.task)) {
    const auto reason = "it depends on a task of another plan that did not complete";
    withdraw({what.task}, reason);
    return lose(what.task, "task \"" + label(what.task) + "\" canceled: " + reason);
  }
  if (what.met) {
    outside_[what.task].insert_or_assign(what.from, what);
    artifacts_around_ = artifacts_around_ || what.has_artifacts;
  }
  if (graph_.external_done(what.task))
    release({what.task});
}

void plan_actor::tell_outward(std::uint32_t task, bool met) {
  if (outward_.empty())
    return;
  const auto at = std::lower_bound(outward_.begin(), outward_.end(), task,
                                   [](const outward_edge& edge, std::uint32_t value) { return edge.task < value; });
  if (at != outward_.end() && at->task == task)
    tell(start_.objective,
         outward_news{start_.index, task, met, start_.view.task_at(task), slots_[task].has_artifacts});
}

void plan_actor::on_outward(const outward_changed& what) {
  outward_ = what.edges;
  // What has ended already was not awaited then; the objective ignores what it knows.
  for (const auto& edge : outward_)
    if (is_terminal(slots_[edge.task].state))
      tell_outward(edge.task, slots_[edge.task].state == task_state::completed);
}

// -- the plan itself -----------------------------------------------------------------------------------------------------

// Whoever calls this goes on with `check`, once it is done with what else there was to do.
void plan_actor::close(plan_state to, const std::string& reason) {
  if (closing_)
    return;
  closing_ = true;
  closing_to_ = to;
  closing_reason_ = reason;
  for (const auto& task : running_)
    if (task)
      tell(task, cancel_run{reason, {}, {}});
}

void plan_actor::pause(bool paused) {
  paused_ = paused;
  if (paused) {
    if (state_ == plan_state::working)
      move(plan_state::blocked, "paused by request");
    return;
  }
  spawn_ready();
  check();
  if (is_settled(state_))
    return;
  // The objective takes it for going on, as it was told to.
  if (state_ == plan_state::blocked)
    tell(start_.objective, plan_waits{start_.index, true});
  else
    tell(start_.objective, plan_standing{told_});
}

// Is it over? Does it wait for people, or work again?
void plan_actor::check() {
  if (is_settled(state_))
    return;
  if (running_count_ == 0 && closing_) {
    std::vector<std::uint32_t> rest{ready_.begin(), ready_.end()};
    const auto never = graph_.abandon_rest();
    rest.insert(rest.end(), never.begin(), never.end());
    ready_.clear();
    withdraw(rest, closing_reason_);
    move(closing_to_, closing_reason_);
    return self_->quit();
  }
  if (running_count_ == 0 && ready_.empty() && graph_.waiting() == 0 && !slots_.empty()) {
    if (failed_count_ == 0)
      move(plan_state::completed, "");
    else
      move(plan_state::failed, closing_reason_);
    return self_->quit();
  }
  tell_standing();
  const auto limit = start_.view.spec->parallel_max;
  const bool none_may_begin = ready_.empty() || (limit > 0 && running_count_ >= limit);
  const bool waits = running_count_ > 0 && waiting_count_ == running_count_ && none_may_begin;
  if (waits && state_ == plan_state::working)
    move(plan_state::blocked, "waits for input");
  else if (!waits && !paused_ && state_ == plan_state::blocked)
    move(plan_state::working, "");
}

// What the objective needs beside the plan's state to say whether anything of it can run.
void plan_actor::tell_standing() {
  const plan_standing now{start_.index, running_count_ == 0 && ready_.empty(), start_.slots ? waiting_count_ : 0};
  if (now.idle == told_.idle && now.asking == told_.asking)
    return;
  told_ = now;
  tell(start_.objective, plan_standing{now});
}

void plan_actor::move(plan_state to, const std::string& reason, std::vector<event> before) {
  if (!may_become(state_, to)) {
    if (state_ != plan_state::blocked)
      return;
    before.push_back(plan_moved{start_.index, plan_state::working, ""}); // blocked -> working -> completed
  }
  const bool was_blocked = state_ == plan_state::blocked;
  state_ = to;
  change what;
  what.context = start_.context;
  what.at = env_.now();
  what.events = std::move(before);
  what.events.push_back(plan_moved{start_.index, to, reason});
  auto objective = start_.objective;
  if (is_settled(to))
    env_.records.commit(std::move(what), [objective, fact = plan_settled{start_.index, to, reason}]() mutable {
      tell(objective, std::move(fact));
    });
  else if (to == plan_state::blocked || was_blocked)
    env_.records.commit(std::move(what), [objective, index = start_.index, to] {
      tell(objective, plan_waits{index, to == plan_state::blocked});
    });
  else
    env_.records.commit(std::move(what));
}

error plan_actor::refusal_of_input(std::uint32_t task) const {
  const auto id = start_.view.task_at(task);
  return is_terminal(slots_[task].state) ? task_has_ended(id.str()) : task_has_not_begun(id.str());
}

std::string plan_actor::label(std::uint32_t task) const {
  return label_of(start_.view.spec->tasks[task], task);
}

} // namespace troupe
