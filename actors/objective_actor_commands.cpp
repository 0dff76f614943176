// What an objective is asked: to change, to pause, to grow by a plan, to begin or end one, to take an answer, to be canceled.
#include <algorithm>

#include "actors/acceptance.hpp"
#include "actors/objective_actor.hpp"

namespace troupe {

namespace {

std::string states_text(std::string_view what, std::string_view from, std::string_view to) {
  return std::string{what} + " is " + std::string{from} + " and cannot become " + std::string{to};
}

} // namespace

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
  if (view_.closing) { // Answered once it has come to that.
    closers_.push_back(what.done);
    return commit();
  }
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
  // To begin nothing new and to go on are asked of the plans as well, which may be on their way to the other.
  const bool has_begun = view_.state == objective_state::planning || view_.state == objective_state::blocked;
  if (to == objective_state::working || to == objective_state::blocked || (to == objective_state::planning && has_begun))
    return pause_or_go_on(to);
  if (to == view_.state)
    return;
  switch (to) {
  case objective_state::canceled:
    return close_all(objective_state::canceled, "canceled by request");
  case objective_state::failed:
    return close_all(objective_state::failed, "failed by request");
  case objective_state::completed:
    for (std::uint32_t p = 0; p < states_.size(); ++p)
      if (states_[p] == plan_state::pending) {
        withdraw_all(p, "the objective was completed by request");
        move_plan(p, plan_state::skipped, "the objective was completed by request");
      }
    return move(to, "completed by request");
  case objective_state::submitted:
  case objective_state::planning:
    if (is_settled(view_.state))
      for (std::uint32_t p = 0; p < states_.size(); ++p)
        if (states_[p] == plan_state::failed || states_[p] == plan_state::pending)
          renew(p);
    return move(to, "");
  case objective_state::working:
  case objective_state::blocked:
    return; // above
  }
}

void objective_actor::pause_or_go_on(objective_state to) {
  note_pause(to == objective_state::blocked);
  for (std::size_t p = 0; p < running_.size(); ++p)
    if (running_[p]) {
      tell(running_[p], pause_plan{view_.paused});
      waiting_[p] = waiting_[p] && view_.paused; // It says so again if it waits for more than that.
    }
  if (to != view_.state && (!view_.paused || active() == 0))
    move(to, view_.paused ? "paused by request" : "");
  if (!view_.paused)
    advance();
}

// Recorded before it is acknowledged, so that a restart does not forget it.
void objective_actor::note_pause(bool paused, std::optional<std::uint32_t> plan) {
  set_pause(view_, paused, plan);
  pending_.push_back(pause_changed{paused, plan});
}

// What failed, or was withdrawn, is tried again as new tasks; what completed stays.
void objective_actor::renew(std::uint32_t plan) {
  catch_up(plan);
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
  if (again.empty() && states_[plan] == plan_state::pending)
    return;
  pending_.push_back(tasks_renewed{plan, std::move(again)});
  move_plan(plan, plan_state::pending, "tried again");
  ++view_.revision;
  renew_dependents(plan);
}

// Plans that were skipped because this one, or the one it stands in for, had not completed, and its alternatives. What is not needed after all
// is skipped again.
void objective_actor::renew_dependents(std::uint32_t plan) {
  const auto primary = resolved_->plans[plan].alternative_of.value_or(plan);
  for (std::uint32_t p = 0; p < states_.size(); ++p) {
    if (states_[p] != plan_state::skipped || view_.plans[p].skip_requested)
      continue;
    const auto& other = resolved_->plans[p];
    const auto needs = [&](std::uint32_t what) { return std::find(other.dependencies.begin(), other.dependencies.end(), what) != other.dependencies.end(); };
    if (needs(plan) || needs(primary) || other.alternative_of == plan)
      renew(p);
  }
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
  if (what.start && view_.state == objective_state::submitted)
    move(objective_state::planning, "plans are started one by one");
  note_dependencies(*spec, index, resolved->plans[index]);
  resolved_ = std::make_shared<const resolved_objective>(std::move(*resolved));
  plan_view plan;
  plan.spec = spec;
  plan.tasks.resize(spec->tasks.size());
  plan.created = plan.updated = env_.now();
  plan.start_requested = what.start;
  view_.plans.push_back(std::move(plan));
  ++view_.revision;
  states_.push_back(plan_state::pending);
  running_.emplace_back();
  waiting_.push_back(false);
  standing_.emplace_back();
  behind_.push_back(false);
  hold(*spec);
  pending_.push_back(plan_added{spec, what.start});
  commit([id = spec->id, done = what.done] { done(id); });
  // Tasks of older plans may be awaited now that were not before.
  for (std::uint32_t p = 0; p < index; ++p) {
    if (running_[p])
      tell(running_[p], outward_changed{resolved_->plans[p].outward});
    remember_outward(p);
  }
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
    return refuse(unknown_plan(what.what.id.str()));
  if (what.what.revision && *what.what.revision != view_.revision)
    return refuse(make_error(errc::revision_mismatch,
                             "the objective is at revision " + std::to_string(view_.revision) + ", not "
                                 + std::to_string(*what.what.revision) + "; read it again and repeat the change",
                             "revision"));
  const auto plan = static_cast<std::uint32_t>(at - view_.plans.begin());
  if (what.what.state)
    if (auto ok = change_plan_state(plan, *what.what.state); !ok)
      return refuse(ok.error());
  show_waiting();
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
  if (view_.state == objective_state::completed && from != to)
    return make_error(errc::invalid_transition, "the objective is completed, and its plans stay as they are", "status");
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
      if (!is_met(resolved_->plans, states_, other))
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
    withdraw_all(plan, "skipped by request");
    move_plan(plan, to, "skipped by request", true);
    remember_outward(plan);
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
    task_ptr record;
    try {
      record = target.empty() ? nullptr : env_.records.find_task(task_id{target});
    } catch (const store_unreadable& e) {
      return what.what.done(make_error(errc::unavailable, e.what(), target));
    }
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
    what.what.done(what.plan < states_.size() && is_settled(states_[what.plan]) ? task_has_ended("") : task_has_not_begun(""));
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

// The tasks of a plan that will not begin: whoever waits for one of them hears of it.
void objective_actor::withdraw_all(std::uint32_t plan, const std::string& reason) {
  std::vector<std::uint32_t> rest;
  const auto& slots = view_.plans[plan].tasks;
  for (std::uint32_t t = 0; t < slots.size(); ++t)
    if (slots[t].state == task_state::unspecified)
      rest.push_back(t);
  if (!rest.empty())
    withdraw(plan, std::move(rest), reason, {});
}

// A plan that never began is over because somebody says so: its tasks end with it.
void objective_actor::end_unbegun(std::uint32_t plan, plan_state to) {
  const auto reason = std::string{to_string(to)} + " by request";
  move_plan(plan, plan_state::working, "");
  withdraw_all(plan, reason);
  move_plan(plan, to, reason);
  commit();
  remember_outward(plan);
  advance();
}

} // namespace troupe
