#include "actors/objective_actor.hpp"

#include <algorithm>

#include "actors/plan_actor.hpp"
#include "actors/status_message.hpp"
#include "actors/throttle_actor.hpp"

namespace troupe {

objective_actor::objective_actor(actor_pointer<handle> self, environment& env, objective_start start)
    : self_(self), env_(env), view_(std::move(start.view)), resolved_(std::move(start.resolved)), start_(std::move(start)) {
  for (const auto& plan : view_.plans)
    states_.push_back(plan.state);
  running_.resize(states_.size());
  waiting_.resize(states_.size());
  standing_.resize(states_.size());
  behind_.resize(states_.size());
  for (const auto& plan : view_.plans)
    hold(*plan.spec);
}

objective_actor::~objective_actor() {
  env_.live_bytes -= plan_bytes_;
  for (const auto& plan : running_)
    kill(plan);
  kill(slots_);
  env_.objectives.remove(view_.id.str(), handle_of(self_));
}

void objective_actor::hold(const plan_spec& plan) {
  const auto bytes = bytes_of(plan);
  plan_bytes_ += bytes;
  env_.live_bytes += bytes;
}

actor_behavior<objective_handle> objective_actor::make_behavior() {
  begin();
  return {
      [this](const plan_settled& what) { on_settled(what); },
      [this](const plan_waits& what) { on_waits(what); },
      [this](const plan_standing& what) { on_standing(what); },
      [this](const outward_news& what) { on_outward(what); },
      [this](const change_objective& what) { on_change(what); },
      [this](const add_plan& what) { on_add(what); },
      [this](const change_plan& what) { on_change_plan(what); },
      [this](objective_input& what) { on_input(what); },
      [this](const objective_cancel& what) { on_cancel(what); },
      [this](const objective_written&) {
        --unwritten_;
        quit_if_settled();
      },
  };
}

void objective_actor::begin() {
  const bool was_settled = is_settled(view_.state); // then a command to try it again follows
  if (view_.parallel_max > 0)
    slots_ = spawn_actor<throttle_actor>(*self_, view_.parallel_max);
  if (start_.create) {
    env_.objectives.put(view_.id.str(), handle_of(self_));
    return create();
  }
  env_.wait_until_entered();
  // The two are recorded one after the other; the process may have ended in between.
  if (const auto root = root_record(); root && !is_terminal(root->status.state) && root->status.state != root_state(view_.state))
    move_root(view_.state, view_.reason);
  for (std::uint32_t p = 0; p < states_.size(); ++p)
    remember_outward(p);
  for (std::uint32_t p = 0; p < states_.size(); ++p)
    if (states_[p] == plan_state::working || states_[p] == plan_state::blocked)
      start_plan(p);
  if (view_.closing)
    close_if_quiet();
  advance();
  commit();
  if (!was_settled)
    quit_if_settled();
}

void objective_actor::create() {
  pending_.push_back(objective_created{std::move(start_.create), view_.root_task, view_.owner});
  start_.create = nullptr;
  view_.state = objective_state::submitted;
  if (start_.start) {
    view_.state = objective_state::working;
    pending_.push_back(objective_moved{view_.state, ""});
  }
  change what;
  what.context = view_.id.str();
  what.at = env_.now();
  what.events = std::exchange(pending_, {});
  // Answered once the root task is visible too: who asked looks at it next.
  auto answered = [&records = env_.records, id = view_.id, done = std::exchange(start_.done, {})] {
    done(as_committed(records, id));
  };
  const bool has_root = start_.request != nullptr;
  env_.records.commit(std::move(what), has_root ? committed_fn{} : committed_fn{answered},
                      std::exchange(start_.follow, nullptr));
  if (has_root) {
    auto record = std::make_shared<task>();
    record->id = view_.root_task;
    record->context = view_.id.str();
    record->owner = view_.owner;
    record->agent = objective_agent;
    record->created = env_.now();
    record->status.at = record->created;
    record->history.push_back(start_.request);
    record->metadata["opt/v1/objectiveId"] = view_.id.str();
    change root;
    root.context = view_.id.str();
    root.task = {view_.root_task, true, 0, 0};
    root.at = env_.now();
    root.events.push_back(task_created{std::move(record)});
    if (start_.start)
      root.events.push_back(task_moved{task_state::working, 1, nullptr});
    env_.records.commit(std::move(root), std::move(answered));
  }
  advance();
  commit();
}

// -- plans ---------------------------------------------------------------------------------------------------------------

// Looks at all plans and does what their states call for. Where they are started one by one only those begin that were added to.
void objective_actor::advance() {
  if (view_.closing || view_.state == objective_state::submitted || is_settled(view_.state))
    return;
  std::vector<bool> held;
  for (const auto& plan : view_.plans)
    held.push_back(view_.planning && !plan.start_requested);
  auto next = decide(resolved_->plans, states_, held);
  for (auto& skip : next.skipped) {
    withdraw_all(skip.plan, skip.reason);
    move_plan(skip.plan, plan_state::skipped, skip.reason);
    remember_outward(skip.plan);
  }
  for (const auto plan : next.start)
    if (!view_.paused)
      start_plan(plan);
  if (next.outcome) {
    if (view_.state != objective_state::working)
      move(objective_state::working, "");
    std::string reason;
    for (std::size_t p = 0; p < states_.size() && *next.outcome == objective_state::failed && reason.empty(); ++p)
      if (states_[p] == plan_state::failed)
        reason = "plan \"" + view_.plans[p].spec->name + "\" failed: " + view_.plans[p].reason;
    move(*next.outcome, reason);
  }
  show_waiting();
}

void objective_actor::start_plan(std::uint32_t plan) {
  if (states_[plan] == plan_state::pending)
    move_plan(plan, plan_state::working, "");
  commit(); // what was decided so far stands before what the plan does
  plan_start start;
  start.index = plan;
  start.view = view_.plans[plan];
  start.resolved = {resolved_, &resolved_->plans[plan]};
  start.context = view_.id.str();
  start.owner = view_.owner;
  start.objective_name = view_.name;
  start.objective = handle_of(self_);
  start.slots = slots_;
  for (const auto& [from, news] : outward_)
    for (const auto& edge : resolved_->plans[from.first].awaited(from.second))
      if (edge.dependent.plan == plan)
        start.news.push_back(news_of(news, edge.dependent.task));
  states_[plan] = plan_state::working;
  if (view_.closing)
    start.closing = close_plan{plan_state::failed, view_.closing_reason};
  waiting_[plan] = view_.plans[plan].paused;
  standing_[plan] = {};
  behind_[plan] = true;
  running_[plan] = spawn_actor<plan_actor>(*self_, env_, std::move(start));
}

void objective_actor::on_settled(const plan_settled& what) {
  running_[what.plan] = nullptr;
  states_[what.plan] = what.state;
  waiting_[what.plan] = false;
  standing_[what.plan] = {};
  view_.plans[what.plan].state = what.state;
  view_.plans[what.plan].reason = what.reason;
  view_.plans[what.plan].paused = false;
  remember_outward(what.plan); // it may have ended before it heard that somebody waits for it
  for (const auto& done : std::exchange(plan_closers_[what.plan], {}))
    done(view_.plans[what.plan].spec->id);
  if (view_.closing)
    close_if_quiet();
  advance();
  commit();
  quit_if_settled();
}

void objective_actor::on_waits(const plan_waits& what) {
  waiting_[what.plan] = what.waiting && running_[what.plan];
  show_waiting();
  commit();
}

void objective_actor::on_standing(const plan_standing& what) {
  if (!running_[what.plan])
    return;
  standing_[what.plan] = what;
  show_waiting();
  commit();
}

// The objective is blocked while plans run, one of them waits for people and the others for people or for each other; while those whom
// people keep waiting hold all its slots; and while it is paused and none of its plans works.
void objective_actor::show_waiting() {
  std::size_t waits = 0;
  std::size_t idle = 0;
  std::uint32_t asking = 0;
  for (std::size_t p = 0; p < running_.size(); ++p) {
    asking += standing_[p].asking;
    if (waiting_[p])
      ++waits;
    else if (running_[p] && standing_[p].idle)
      ++idle;
  }
  const bool none_works = waits + idle == active() && (waits > 0 || view_.paused);
  const bool none_may_begin = view_.parallel_max > 0 && asking >= view_.parallel_max;
  const bool blocked = none_works || none_may_begin;
  const auto awake = view_.planning ? objective_state::planning : objective_state::working;
  if (blocked && view_.state == awake)
    move(objective_state::blocked, view_.paused ? "paused by request" : "waits for input");
  else if (!blocked && view_.state == objective_state::blocked)
    move(awake, "");
}

void objective_actor::on_outward(const outward_news& what) {
  const auto [known, fresh] = outward_.try_emplace({what.plan, what.task}, what);
  if (!fresh && known->second.met == what.met)
    return;
  known->second = what;
  for (const auto& edge : resolved_->plans[what.plan].awaited(what.task))
    pass_on(edge.dependent, news_of(what, edge.dependent.task));
}

dependency_news objective_actor::news_of(const outward_news& what, std::uint32_t dependent) const {
  const auto& plan = view_.plans[what.plan].spec;
  return {dependent, what.met, {what.plan, what.task}, what.id, {plan, &plan->tasks[what.task]}, what.has_artifacts};
}

// A plan that does not run tells nothing itself: what became of its tasks is read off their slots.
void objective_actor::remember_outward(std::uint32_t plan) {
  auto& of = view_.plans[plan];
  if (!is_settled(states_[plan]) || resolved_->plans[plan].outward.empty())
    return;
  catch_up(plan);
  for (const auto& edge : resolved_->plans[plan].outward) {
    const auto& slot = of.tasks[edge.task];
    on_outward({plan, edge.task, slot.state == task_state::completed, of.task_at(edge.task), slot.has_artifacts});
  }
}

// While a plan runs its slots are its actor's business. Once it has settled they are all committed.
void objective_actor::catch_up(std::uint32_t plan) {
  if (!behind_[plan])
    return;
  if (const auto committed = env_.records.find_objective(view_.id)) {
    view_.plans[plan].tasks = committed->plans[plan].tasks;
    behind_[plan] = false;
  }
}

void objective_actor::pass_on(const task_position& to, dependency_news news) {
  if (!running_[to.plan])
    return;
  standing_[to.plan].idle = false; // It says so again if the news sets nothing free.
  tell(running_[to.plan], std::move(news));
}

// -- the objective itself ------------------------------------------------------------------------------------------------

// Recorded before anything of it ends, so that a restart goes on with it.
void objective_actor::close_all(objective_state to, const std::string& reason) {
  view_.closing = to;
  view_.closing_reason = reason;
  if (active() > 0) {
    pending_.push_back(objective_closing{to, reason});
    commit();
  }
  for (const auto& plan : running_)
    if (plan)
      tell(plan, close_plan{plan_state::failed, reason});
  close_if_quiet();
}

void objective_actor::close_if_quiet() {
  if (active() > 0)
    return;
  const auto to = *view_.closing;
  for (std::uint32_t p = 0; p < states_.size(); ++p)
    if (states_[p] == plan_state::pending)
      withdraw_all(p, view_.closing_reason);
  if (view_.state == objective_state::blocked && !may_become(view_.state, to))
    move(objective_state::working, "");
  move(to, view_.closing_reason);
  if (closers_.empty())
    return;
  if (pending_.empty())
    pending_.push_back(objective_edited{}); // the root task's move has taken the others with it
  commit([&records = env_.records, id = view_.id, closers = std::exchange(closers_, {})] {
    for (const auto& done : closers)
      done(as_committed(records, id));
  });
}

void objective_actor::move(objective_state to, const std::string& reason) {
  view_.reason = reason; // first: it may be that of the closing, which is over then
  set_state(view_, to);
  pending_.push_back(objective_moved{to, view_.reason});
  move_root(to, view_.reason);
}

void objective_actor::move_plan(std::uint32_t plan, plan_state to, const std::string& reason, bool requested) {
  states_[plan] = to;
  view_.plans[plan].state = to;
  view_.plans[plan].reason = reason;
  view_.plans[plan].skip_requested = requested;
  view_.plans[plan].start_requested = view_.plans[plan].start_requested && to != plan_state::working;
  pending_.push_back(plan_moved{plan, to, reason, requested});
}

void objective_actor::move_root(objective_state to, const std::string& reason) {
  if (view_.root_task.empty())
    return;
  const auto record = root_record();
  if (record && is_terminal(record->status.state))
    return; // a retried objective has no root task any more: a terminal task never moves again
  auto words = reason;
  if (to == objective_state::blocked)
    if (const auto committed = env_.records.find_objective(view_.id))
      for (const auto& question : committed->pending_inputs)
        words += "\n" + question.task.str() + ": " + question.prompt;
  auto metadata = to == objective_state::canceled ? std::exchange(cancel_metadata_, {}) : boost::json::object{};
  auto what = root_moved(view_, to, std::move(words), std::move(metadata), env_.now());
  commit();
  write(std::move(what), [&records = env_.records, id = view_.root_task, done = is_settled(to) ? std::exchange(cancelers_, {}) : decltype(cancelers_){}] {
    for (const auto& one : done)
      one(records.find_task(id));
  });
}

/// Null if there is none, and while the disk cannot be read: what is said about a task that has ended changes nothing.
task_ptr objective_actor::root_record() const {
  try {
    return view_.root_task.empty() ? nullptr : env_.records.find_task(view_.root_task);
  } catch (const store_unreadable&) {
    return nullptr;
  }
}

void objective_actor::commit(committed_fn then) {
  if (pending_.empty()) {
    if (then)
      then();
    return;
  }
  change what;
  what.context = view_.id.str();
  what.at = env_.now();
  what.events = std::exchange(pending_, {});
  write(std::move(what), std::move(then));
}

// A settled objective leaves when all it has said is durable: before that the record does not say yet how it stands.
void objective_actor::write(change what, committed_fn then) {
  if (is_settled(view_.state)) {
    ++unwritten_;
    // Told first: what follows may throw, when it wants to answer with what the disk does not give.
    then = [me = handle_of(self_), then = std::move(then)] {
      tell(me, objective_written{});
      if (then)
        then();
    };
  }
  env_.records.commit(std::move(what), std::move(then));
}

result<objective_ptr> objective_actor::as_committed(const store& records, const objective_id& id) {
  if (auto found = records.find_objective(id))
    return found;
  return unknown_objective(id.str());
}

// Out of the directory first: a command that finds this actor no more brings the objective back, one that is dropped with its mailbox
// is repeated by the gateway.
void objective_actor::quit_if_settled() {
  if (!is_settled(view_.state) || active() > 0 || unwritten_ > 0)
    return;
  env_.objectives.remove(view_.id.str(), handle_of(self_));
  self_->quit();
}

std::size_t objective_actor::active() const {
  return static_cast<std::size_t>(
      std::count_if(running_.begin(), running_.end(), [](const plan_handle& plan) { return plan != nullptr; }));
}

task_state root_state(objective_state of) noexcept {
  switch (of) {
  case objective_state::submitted:
    return task_state::submitted;
  case objective_state::planning:
  case objective_state::working:
    return task_state::working;
  case objective_state::blocked:
    return task_state::input_required;
  case objective_state::completed:
    return task_state::completed;
  case objective_state::failed:
    return task_state::failed;
  case objective_state::canceled:
    return task_state::canceled;
  }
  return task_state::unspecified;
}

change root_moved(const objective_view& of, objective_state to, std::string words, boost::json::object metadata, timestamp at) {
  change out;
  out.context = of.id.str();
  out.task = {of.root_task, true, 0, 0};
  out.at = at;
  message_ptr text;
  if (!words.empty())
    text = make_status_message(std::move(words), of.id.str(), of.root_task, std::move(metadata));
  out.events.push_back(task_moved{root_state(to), 1, std::move(text)});
  return out;
}

} // namespace troupe
