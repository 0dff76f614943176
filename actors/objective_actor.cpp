#include "actors/objective_actor.hpp"

#include <algorithm>
#include <array>

#include "actors/acceptance.hpp"
#include "actors/plan_actor.hpp"
#include "actors/status_message.hpp"
#include "actors/throttle_actor.hpp"

namespace troupe {

namespace {

std::string states_text(std::string_view what, std::string_view from, std::string_view to) {
  return std::string{what} + " is " + std::string{from} + " and cannot become " + std::string{to};
}

/// As it is now; the memory store may have let it go between the command and its commit.
result<objective_ptr> as_committed(const store& records, const objective_id& id) {
  if (auto found = records.find_objective(id))
    return found;
  return make_error(errc::objective_not_found, "no objective has this id", id.str());
}

} // namespace

objective_actor::objective_actor(actor_pointer<handle> self, environment& env, objective_start start)
    : self_(self), env_(env), view_(std::move(start.view)), resolved_(std::move(start.resolved)), start_(std::move(start)) {
  for (const auto& plan : view_.plans)
    states_.push_back(plan.state);
  running_.resize(states_.size());
  waiting_.resize(states_.size());
}

objective_actor::~objective_actor() {
  for (const auto& plan : running_)
    kill(plan);
  kill(slots_);
  env_.objectives.remove(view_.id.str(), handle_of(self_));
}

actor_behavior<objective_handle> objective_actor::make_behavior() {
  begin();
  return {
      [this](const plan_settled& what) { on_settled(what); },
      [this](const plan_waits& what) { on_waits(what); },
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
  for (std::uint32_t p = 0; p < states_.size(); ++p)
    remember_outward(p);
  for (std::uint32_t p = 0; p < states_.size(); ++p)
    if (states_[p] == plan_state::working || states_[p] == plan_state::blocked)
      start_plan(p);
  if (view_.closing) {
    close_if_quiet();
  } else {
    show_waiting();
    end_planning();
    advance();
  }
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

// Looks at all plans and does what their states call for.
void objective_actor::advance() {
  if (view_.closing || (view_.state != objective_state::working && view_.state != objective_state::blocked))
    return;
  auto next = decide(resolved_->plans, states_);
  for (auto& skip : next.skipped) {
    move_plan(skip.plan, plan_state::skipped, skip.reason);
    remember_outward(skip.plan);
  }
  for (const auto plan : next.start)
    if (!view_.paused)
      start_plan(plan);
  if (next.outcome) {
    if (view_.state == objective_state::blocked)
      move(objective_state::working, "");
    std::string reason;
    for (std::size_t p = 0; p < states_.size() && *next.outcome == objective_state::failed && reason.empty(); ++p)
      if (states_[p] == plan_state::failed)
        reason = "plan \"" + view_.plans[p].spec->name + "\" failed: " + view_.plans[p].reason;
    move(*next.outcome, reason);
  }
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
      if (edge.dependent.plan == plan) {
        const auto& spec = view_.plans[from.first].spec->tasks[from.second];
        start.news.push_back({edge.dependent.task, news.met, news.id, spec.name, spec.key, news.has_artifacts});
      }
  states_[plan] = plan_state::working;
  if (view_.closing)
    start.closing = close_plan{plan_state::failed, view_.closing_reason};
  waiting_[plan] = view_.plans[plan].paused;
  running_[plan] = spawn_actor<plan_actor>(*self_, env_, std::move(start));
}

void objective_actor::on_settled(const plan_settled& what) {
  running_[what.plan] = nullptr;
  states_[what.plan] = what.state;
  waiting_[what.plan] = false;
  view_.plans[what.plan].state = what.state;
  view_.plans[what.plan].reason = what.reason;
  view_.plans[what.plan].paused = false;
  remember_outward(what.plan); // it may have ended before it heard that somebody waits for it
  for (const auto& done : std::exchange(plan_closers_[what.plan], {}))
    done(view_.plans[what.plan].spec->id);
  if (view_.closing)
    close_if_quiet();
  else
    end_planning();
  advance();
  if (view_.state == objective_state::working || view_.state == objective_state::blocked)
    on_waits({what.plan, false});
  commit();
  quit_if_settled();
}

// Plans that were started one by one: the objective ends when none is left.
void objective_actor::end_planning() {
  if (view_.state == objective_state::planning && !states_.empty()
      && std::all_of(states_.begin(), states_.end(), [](plan_state s) { return is_settled(s); }))
    move(objective_state::working, "");
}

void objective_actor::on_waits(const plan_waits& what) {
  waiting_[what.plan] = what.waiting && running_[what.plan];
  show_waiting();
  commit();
}

// The objective is blocked while plans run and each of them waits for people, and while it is paused and none of them works.
void objective_actor::show_waiting() {
  const auto waits = static_cast<std::size_t>(std::count(waiting_.begin(), waiting_.end(), true));
  const bool blocked = waits == active() && (waits > 0 || view_.paused);
  if (blocked && view_.state == objective_state::working)
    move(objective_state::blocked, view_.paused ? "paused by request" : "waits for input");
  else if (!blocked && view_.state == objective_state::blocked)
    move(objective_state::working, "");
}

void objective_actor::on_outward(const outward_news& what) {
  const auto [known, fresh] = outward_.try_emplace({what.plan, what.task}, what);
  if (!fresh && known->second.met == what.met)
    return;
  known->second = what;
  const auto& spec = view_.plans[what.plan].spec->tasks[what.task];
  for (const auto& edge : resolved_->plans[what.plan].awaited(what.task))
    pass_on(edge.dependent, {edge.dependent.task, what.met, what.id, spec.name, spec.key, what.has_artifacts});
}

// A plan that does not run tells nothing itself: what became of its tasks is read off their slots.
void objective_actor::remember_outward(std::uint32_t plan) {
  auto& of = view_.plans[plan];
  if (!is_settled(states_[plan]) || resolved_->plans[plan].outward.empty())
    return;
  if (const auto committed = env_.records.find_objective(view_.id))
    of.tasks = committed->plans[plan].tasks;
  for (const auto& edge : resolved_->plans[plan].outward) {
    const auto& slot = of.tasks[edge.task];
    on_outward({plan, edge.task, slot.state == task_state::completed, of.task_at(edge.task), slot.has_artifacts});
  }
}

void objective_actor::pass_on(const task_position& to, dependency_news news) {
  if (running_[to.plan])
    tell(running_[to.plan], std::move(news));
}

// -- commands ------------------------------------------------------------------------------------------------------------

void objective_actor::on_change(const change_objective& what) {
  const auto refuse = [&](error why) {
    what.done(std::move(why));
    quit_if_settled();
  };
  if (what.what.revision && *what.what.revision != view_.revision)
    return refuse(make_error(errc::revision_mismatch,
                             "the objective is at revision " + std::to_string(view_.revision) + ", not "
                                 + std::to_string(*what.what.revision) + "; read it again and repeat the change",
                             "revision"));
  if (what.what.state)
    if (auto ok = may_change_state(*what.what.state); !ok)
      return refuse(ok.error());
  if (!what.what.name.empty() || !what.what.description.empty()) {
    pending_.push_back(objective_edited{what.what.name, what.what.description});
    ++view_.revision;
    if (!what.what.name.empty())
      view_.name = what.what.name;
  }
  if (what.what.state)
    change_state(*what.what.state);
  // Even if nothing was to be changed, the answer comes after everything before it is committed.
  if (pending_.empty())
    pending_.push_back(objective_edited{});
  commit([&records = env_.records, id = view_.id, done = what.done] { done(as_committed(records, id)); });
  quit_if_settled();
}

result<void> objective_actor::may_change_state(objective_state to) const {
  if (!may_become(view_.state, to))
    return make_error(errc::invalid_transition,
                      states_text("the objective", to_string(view_.state), to_string(to)), "status");
  if (to == objective_state::completed && active() > 0)
    return make_error(errc::invalid_transition, "plans of the objective still run; wait for them or cancel it", "status");
  return {};
}

void objective_actor::change_state(objective_state to) {
  // Working and blocked are asked of the plans as well, which may be on their way to the other.
  if (to == view_.state && to != objective_state::working && to != objective_state::blocked)
    return;
  switch (to) {
  case objective_state::canceled:
    return close_all(objective_state::canceled, "canceled by request");
  case objective_state::failed:
    return close_all(objective_state::failed, "failed by request");
  case objective_state::completed:
    for (std::uint32_t p = 0; p < states_.size(); ++p)
      if (states_[p] == plan_state::pending)
        move_plan(p, plan_state::skipped, "the objective was completed by request");
    return move(to, "completed by request");
  case objective_state::submitted:
  case objective_state::planning:
    if (is_settled(view_.state))
      for (std::uint32_t p = 0; p < states_.size(); ++p)
        if (states_[p] == plan_state::failed)
          renew(p);
    return move(to, "");
  case objective_state::working:
  case objective_state::blocked:
    note_pause(to == objective_state::blocked);
    for (const auto& plan : running_)
      if (plan)
        tell(plan, pause_plan{view_.paused});
    if (to != view_.state && (!view_.paused || active() == 0))
      move(to, view_.paused ? "paused by request" : "");
    if (!view_.paused)
      advance();
  }
}

// Recorded before it is acknowledged, so that a restart does not forget it.
void objective_actor::note_pause(bool paused, std::optional<std::uint32_t> plan) {
  set_pause(view_, paused, plan);
  pending_.push_back(pause_changed{paused, plan});
}

// What failed is tried again as new tasks; what completed stays.
void objective_actor::renew(std::uint32_t plan) {
  // The slots as committed: this actor does not follow them while a plan runs.
  if (auto committed = env_.records.find_objective(view_.id))
    view_.plans[plan].tasks = committed->plans[plan].tasks;
  std::vector<std::uint32_t> again;
  auto& slots = view_.plans[plan].tasks;
  for (std::uint32_t t = 0; t < slots.size(); ++t)
    if (slots[t].state != task_state::completed) {
      if (slots[t].state == task_state::unspecified)
        continue;
      slots[t] = {task_state::unspecified, false, slots[t].generation + 1, 0};
      again.push_back(t);
      outward_.erase({plan, t});
    }
  pending_.push_back(tasks_renewed{plan, std::move(again)});
  move_plan(plan, plan_state::pending, "tried again");
  ++view_.revision;
}

void objective_actor::on_add(const add_plan& what) {
  const auto refuse = [&](error why) {
    what.done(std::move(why));
    quit_if_settled();
  };
  if (is_settled(view_.state))
    return refuse(make_error(errc::invalid_transition,
                             "the objective is " + std::string{to_string(view_.state)} + " and takes no more plans",
                             "objectiveId"));
  if (view_.closing)
    return refuse(make_error(errc::invalid_transition, "the objective is being ended and takes no more plans", "objectiveId"));
  auto spec = std::make_shared<plan_spec>(*what.spec);
  const auto index = static_cast<std::uint32_t>(view_.plans.size());
  name_plan(*spec, view_.id, index);
  std::vector<plan_spec_ptr> all;
  for (const auto& plan : view_.plans)
    all.push_back(plan.spec);
  all.push_back(spec);
  auto resolved = check_objective(all, env_.agents);
  if (!resolved)
    return refuse(resolved.error());
  note_dependencies(*spec, index, resolved->plans[index]);
  resolved_ = std::make_shared<const resolved_objective>(std::move(*resolved));
  plan_view plan;
  plan.spec = spec;
  plan.tasks.resize(spec->tasks.size());
  plan.created = plan.updated = env_.now();
  view_.plans.push_back(std::move(plan));
  ++view_.revision;
  states_.push_back(plan_state::pending);
  running_.emplace_back();
  waiting_.push_back(false);
  pending_.push_back(plan_added{spec});
  commit([id = spec->id, done = what.done] { done(id); });
  // Tasks of older plans may be awaited now that were not before.
  for (std::uint32_t p = 0; p < index; ++p) {
    if (running_[p])
      tell(running_[p], outward_changed{resolved_->plans[p].outward});
    remember_outward(p);
  }
  if (what.start && view_.state != objective_state::working)
    (void)change_plan_state(index, plan_state::working);
  advance();
  commit();
  quit_if_settled();
}

void objective_actor::on_change_plan(const change_plan& what) {
  const auto refuse = [&](error why) {
    what.done(std::move(why));
    quit_if_settled();
  };
  const auto at = std::find_if(view_.plans.begin(), view_.plans.end(),
                               [&](const plan_view& plan) { return plan.spec->id == what.what.id; });
  if (at == view_.plans.end())
    return refuse(make_error(errc::plan_not_found, "no plan has this id", what.what.id.str()));
  if (what.what.revision && *what.what.revision != view_.revision)
    return refuse(make_error(errc::revision_mismatch,
                             "the objective is at revision " + std::to_string(view_.revision) + ", not "
                                 + std::to_string(*what.what.revision) + "; read it again and repeat the change",
                             "revision"));
  const auto plan = static_cast<std::uint32_t>(at - view_.plans.begin());
  if (what.what.state)
    if (auto ok = change_plan_state(plan, *what.what.state); !ok)
      return refuse(ok.error());
  if (running_[plan] && what.what.state && is_settled(*what.what.state)) {
    // Acknowledged once it has come: a restart before would not know of it.
    plan_closers_[plan].push_back(what.done);
    return commit();
  }
  // A running plan commits its own moves; the answer follows the last of ours.
  if (pending_.empty())
    pending_.push_back(objective_edited{});
  commit([id = what.what.id, done = what.done] { done(id); });
  quit_if_settled();
}

result<void> objective_actor::change_plan_state(std::uint32_t plan, plan_state to) {
  auto from = states_[plan];
  if (from == plan_state::working && waiting_[plan])
    from = plan_state::blocked;
  const bool ends_unbegun = from == plan_state::pending && !is_settled(view_.state) && (to == plan_state::completed || to == plan_state::failed);
  if (!ends_unbegun && !may_become(from, to))
    return make_error(errc::invalid_transition, states_text("the plan", to_string(from), to_string(to)), "status");
  if (running_[plan] && (to == plan_state::working || to == plan_state::blocked)) {
    note_pause(to == plan_state::blocked, plan);
    tell(running_[plan], pause_plan{to == plan_state::blocked});
    return {};
  }
  if (from == to)
    return {};
  switch (to) {
  case plan_state::working:
    if (view_.closing)
      return make_error(errc::invalid_transition, "the objective is being ended and starts no more plans", "status");
    if (is_settled(view_.state))
      return make_error(errc::invalid_transition,
                        "the objective is " + std::string{to_string(view_.state)}
                            + "; move it to planning first, which makes its failed plans pending",
                        "status");
    for (const auto other : resolved_->plans[plan].dependencies)
      if (states_[other] != plan_state::completed)
        return make_error(errc::invalid_transition,
                          "the plan depends on plan \"" + view_.plans[other].spec->name + "\", which is "
                              + std::string{to_string(states_[other])},
                          "status");
    if (from == plan_state::failed)
      renew(plan);
    if (view_.state == objective_state::submitted)
      move(objective_state::planning, "plans are started one by one");
    if (view_.plans[plan].paused)
      note_pause(false, plan);
    start_plan(plan);
    return {};
  case plan_state::blocked: // only of a plan that runs
    return {};
  case plan_state::completed:
  case plan_state::failed:
    if (running_[plan])
      tell(running_[plan], close_plan{to, std::string{to_string(to)} + " by request"});
    else if (ends_unbegun)
      end_unbegun(plan, to);
    return {};
  case plan_state::skipped:
    if (running_[plan])
      return make_error(errc::invalid_transition, "the plan runs; move it to failed instead", "status");
    move_plan(plan, to, "skipped by request");
    remember_outward(plan);
    end_planning();
    advance();
    return {};
  case plan_state::pending:
    renew(plan);
    advance();
    return {};
  }
  return {};
}

void objective_actor::on_input(objective_input& what) {
  if (what.root) {
    // The answer names the task in its metadata, or there is only one question.
    const auto committed = env_.records.find_objective(view_.id);
    const auto* named = what.what.what->metadata.if_contains("troupe/v1/taskId");
    const auto wanted = named && named->is_string() ? std::string{named->as_string()} : std::string{};
    if (committed && wanted.empty() && committed->pending_inputs.size() > 1)
      return what.what.done(make_error(errc::invalid_params,
                                       std::to_string(committed->pending_inputs.size())
                                           + " tasks ask for input; name one in message.metadata[\"troupe/v1/taskId\"]",
                                       "message.metadata"));
    const auto target = !wanted.empty()                                         ? wanted
                        : committed && !committed->pending_inputs.empty() ? committed->pending_inputs[0].task.str()
                                                                                : std::string{};
    const auto record = target.empty() ? nullptr : env_.records.find_task(task_id{target});
    if (!record || !record->origin || record->context != view_.id.str() || !is_interrupted(record->status.state))
      return what.what.done(make_error(errc::no_question,
                                       wanted.empty() ? "nothing of this objective asks for input"
                                                      : "task \"" + wanted + "\" asks for no input, or was answered already",
                                       target));
    what.what.answers = true;
    what.plan = record->origin.plan_index;
    what.task = record->origin.task_index;
  }
  if (what.plan < running_.size() && running_[what.plan])
    tell(running_[what.plan], task_input{what.task, std::move(what.what)});
  else if (what.root)
    what.what.done(make_error(errc::no_question, "the task's plan does not run", ""));
  else
    what.what.done(make_error(errc::unsupported_operation,
                              what.plan < states_.size() && is_settled(states_[what.plan])
                                  ? "the task has ended and takes no more messages"
                                  : "the task has not begun; it takes messages once it works",
                              ""));
}

void objective_actor::on_cancel(const objective_cancel& what) {
  if (what.root) {
    if (what.what.done)
      cancelers_.push_back(what.what.done);
    if (may_become(view_.state, objective_state::canceled)) {
      cancel_metadata_ = what.what.metadata;
      close_all(objective_state::canceled, what.what.reason);
    }
    commit();
    return quit_if_settled();
  }
  if (what.plan < running_.size() && running_[what.plan])
    return tell(running_[what.plan], task_cancel{what.task, what.what});
  // A plan that has not begun has no actor: its task is withdrawn here. Else the task has ended, as whoever asked hears when the message is dropped.
  if (what.plan >= states_.size() || states_[what.plan] != plan_state::pending
      || view_.plans[what.plan].tasks[what.task].state != task_state::unspecified)
    return;
  withdraw(what.plan, {what.task}, what.what.reason, what.what.metadata);
  commit([&records = env_.records, id = view_.plans[what.plan].task_at(what.task), done = what.what.done] {
    done(records.find_task(id));
  });
}

// Of a plan that has no actor.
void objective_actor::withdraw(std::uint32_t plan, std::vector<std::uint32_t> tasks, const std::string& reason,
                               const boost::json::object& metadata) {
  for (const auto task : tasks)
    view_.plans[plan].tasks[task].state = task_state::canceled;
  pending_.push_back(tasks_withdrawn{plan, std::move(tasks), task_state::canceled, reason, metadata});
}

// A plan that never began is over because somebody says so: its tasks end with it.
void objective_actor::end_unbegun(std::uint32_t plan, plan_state to) {
  const auto reason = std::string{to_string(to)} + " by request";
  std::vector<std::uint32_t> rest;
  const auto& slots = view_.plans[plan].tasks;
  for (std::uint32_t t = 0; t < slots.size(); ++t)
    if (slots[t].state == task_state::unspecified)
      rest.push_back(t);
  move_plan(plan, plan_state::working, "");
  if (!rest.empty())
    withdraw(plan, std::move(rest), reason, {});
  move_plan(plan, to, reason);
  commit();
  remember_outward(plan);
  end_planning();
  advance();
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
  if (view_.state == objective_state::blocked && !may_become(view_.state, to))
    move(objective_state::working, "");
  move(to, view_.closing_reason);
}

void objective_actor::move(objective_state to, const std::string& reason) {
  view_.state = to;
  view_.reason = reason;
  if (is_settled(to)) {
    set_pause(view_, false);
    view_.closing.reset();
  }
  pending_.push_back(objective_moved{to, reason});
  move_root(to, reason);
}

void objective_actor::move_plan(std::uint32_t plan, plan_state to, const std::string& reason) {
  states_[plan] = to;
  view_.plans[plan].state = to;
  view_.plans[plan].reason = reason;
  pending_.push_back(plan_moved{plan, to, reason});
}

// The root task shows the objective as an A2A task.
void objective_actor::move_root(objective_state to, const std::string& reason) {
  if (view_.root_task.empty())
    return;
  static constexpr auto shown = std::to_array<task_state>({task_state::submitted, task_state::working, task_state::working,
                                                           task_state::input_required, task_state::completed,
                                                           task_state::failed, task_state::canceled});
  const auto record = env_.records.find_task(view_.root_task);
  if (record && is_terminal(record->status.state))
    return; // a retried objective has no root task any more: a terminal task never moves again
  change what;
  what.context = view_.id.str();
  what.task = {view_.root_task, true, 0, 0};
  what.at = env_.now();
  message_ptr text;
  auto words = reason;
  if (to == objective_state::blocked)
    if (const auto committed = env_.records.find_objective(view_.id))
      for (const auto& question : committed->pending_inputs)
        words += "\n" + question.task.str() + ": " + question.prompt;
  if (!words.empty()) {
    auto metadata = to == objective_state::canceled ? std::exchange(cancel_metadata_, {}) : boost::json::object{};
    text = make_status_message(std::move(words), view_.id.str(), view_.root_task, std::move(metadata));
  }
  what.events.push_back(task_moved{shown[static_cast<std::size_t>(to)], 1, std::move(text)});
  commit();
  write(std::move(what), [&records = env_.records, id = view_.root_task, done = is_settled(to) ? std::exchange(cancelers_, {}) : decltype(cancelers_){}] {
    for (const auto& one : done)
      one(records.find_task(id));
  });
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
    then = [me = handle_of(self_), then = std::move(then)] {
      if (then)
        then();
      tell(me, objective_written{});
    };
  }
  env_.records.commit(std::move(what), std::move(then));
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

} // namespace troupe
