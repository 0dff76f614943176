#include "actors/objective/objective_actor.hpp"

#include "actors/commands/once_desk.hpp"
#include "actors/plan/live_bytes.hpp"
#include "actors/plan/plan_actor.hpp"
#include "actors/slots/throttle_actor.hpp"
#include "actors/task/status_message.hpp"
#include "protocol/text/text.hpp"
#include <troupe/actors/limits.hpp>

#include <algorithm>
#include <iterator>
#include <limits>

namespace troupe {

namespace {

std::vector<plan_relations> relations_of(const resolved_objective& resolved) {
  return {resolved.plans.begin(), resolved.plans.end()};
}

/// Which objective the root task stands for, and where the first task of it is.
boost::json::object root_metadata(const objective_view& shown) {
  boost::json::object out;
  out["opt/v1/root"] = true;
  out["opt/v1/objectiveId"] = shown.id.str();
  const auto first =
      std::ranges::find_if(shown.plans, [](const plan_view& plan) { return !plan.tasks.empty(); });
  if (first != shown.plans.end()) {
    out["opt/v1/planId"] = first->spec->id.str();
    out["opt/v1/taskIndex"] = 0;
  }
  return out;
}

/// `answer`, which hears of a conflict only if the change has conditions of its command: several
/// commands may wait for one change.
committed_fn answer_of(committed_fn answer, bool has_conditions) {
  if (has_conditions)
    return answer;
  return [answer = std::move(answer)] { answer(); };
}

/// Calls all `answers`; null if there are none.
committed_fn all_of(std::vector<committed_fn> answers) {
  if (answers.size() < 2)
    return answers.empty() ? committed_fn{} : std::move(answers.front());
  return [answers = std::move(answers)](const commit_outcome& outcome) {
    for (const auto& answer : answers)
      answer(outcome);
  };
}

} // namespace

objective_actor::objective_actor(actor_pointer<handle> self, environment& env,
                                 objective_start start)
    : self_(self), env_(env), life_(std::move(start.view), relations_of(start.resolved)),
      start_(std::move(start)), made_(std::make_shared<made_bytes>(view().made_bytes)) {
  for (auto& plan : start_.resolved.plans)
    resolved_.push_back(std::make_shared<const resolved_plan>(std::move(plan)));
  start_.resolved = {};
  running_.resize(resolved_.size());
  const auto hold_all = [this](const auto& plans, auto spec_of) {
    for (std::uint32_t p = 0; p < plans.size(); ++p)
      hold(*spec_of(plans[p]), p);
  };
  if (start_.create) {
    hold_all(start_.create->spec->plans, [](const plan_spec_ptr& plan) { return plan; });
    hold_bytes(own_bytes_of(*start_.create->spec));
  } else {
    hold_all(view().plans, [](const plan_view& plan) { return plan.spec; });
    hold_bytes(own_bytes_of(view()));
  }
}

objective_actor::~objective_actor() {
  env_.deadlines.erase(self_->id());
  env_.memory.give_back(memory_account::live_work, plan_bytes_);
  for (const auto& plan : running_)
    kill(plan);
  kill(slots_);
  env_.objectives.remove(view().id.str(), handle_of(self_));
}

void objective_actor::hold(const plan_spec& plan, std::uint32_t position) {
  plan_positions_.try_emplace(plan.id, position);
  hold_bytes(live_bytes_of(plan));
}

void objective_actor::hold_bytes(std::size_t more, std::size_t less) {
  plan_bytes_ += more;
  plan_bytes_ -= less;
  env_.memory.force(memory_account::live_work, more);
  env_.memory.give_back(memory_account::live_work, less);
}

actor_behavior<objective_handle> objective_actor::make_behavior() {
  begin();
  return {
      [this](plan_fact& message) { on_plan(message); },
      [this](const plan_heard& fact) { on_heard(fact); },
      [this](const awaited_task_ended& fact) { on_awaited(fact); },
      [this](const change_objective& message) { on_change(message); },
      [this](const add_plan& message) { on_add(message); },
      [this](const move_plan& message) { on_move_plan(message); },
      [this](const reshape_plan& message) { on_reshape(message); },
      [this](const reshape_objective& message) { on_modify(message); },
      [this](const shape_settled& fact) { on_shape(fact); },
      [this](const objective_deadline&) { on_deadline(); },
      [this](objective_message& message) { on_message(message); },
      [this](const root_said& message) { on_root_said(message); },
      [this](const objective_cancel& message) { on_cancel(message); },
      [this](const objective_written&) {
        --unwritten_;
        quit_if_ended();
      },
      [this](const result_read& fact) { on(fact); },
  };
}

void objective_actor::begin() {
  const auto parallel_max = start_.create ? start_.create->spec->parallel_max : view().parallel_max;
  if (parallel_max > 0)
    slots_ = spawn_actor<throttle_actor>(*self_, env_, parallel_max);
  if (start_.create) {
    env_.objectives.put(view().id.str(), handle_of(self_));
    create();
    follow(objective_goes_on{});
    return mind_deadlines();
  }
  env_.wait_until_entered();
  // The two are recorded one after the other; the process may have ended in between.
  if (start_.root_shown && *start_.root_shown != root_state(view(), view().state))
    tell_root({objective_moved{event_to(view().state), view().reason}}, {}, nullptr);
  const bool had_ended = is_settled(view().state); // then a command to try it again follows
  auto decision = life_.decide(objective_goes_on{}, env_.now());
  if (!had_ended)
    carry_out(std::move(decision), {});
  mind_deadlines();
}

void objective_actor::create() {
  auto created = std::move(*start_.create);
  start_.create.reset();
  const auto id = view().id;
  auto decision = life_.decide(objective_begins{std::move(created), start_.start}, env_.now());
  change news;
  news.context = id.str();
  news.at = env_.now();
  news.events = std::move(decision.events);
  news.by = start_.by;
  news.conditions = start_.conditions;
  // Answered once the root task is visible too: the caller reads it next.
  auto answered = answer_with_view(std::exchange(start_.done, {}));
  if (!start_.conditions.empty())
    answered = [me = handle_of(self_), then = std::move(answered)](const commit_outcome& outcome) {
      if (outcome.conflict) // There is no such objective, and its agents work for nothing.
        tell(me, objective_cancel{true, 0, 0, cancel_run{"its request came before", {}, {}}});
      then(outcome);
    };
  const bool has_root = start_.request != nullptr;
  env_.records.commit(std::move(news), has_root ? committed_fn{} : committed_fn{answered},
                      std::exchange(start_.follow, nullptr));
  if (!has_root)
    return;
  auto record = std::make_shared<task>();
  record->id = view().root_task;
  record->context = id.str();
  record->owner = view().owner;
  record->agent = objective_agent;
  record->created = env_.now();
  record->status.at = record->created;
  record->history.push_back(std::exchange(start_.request, nullptr));
  record->metadata = root_metadata(view());
  change root;
  root.context = id.str();
  root.task = {view().root_task, true, 0, 0};
  root.at = env_.now();
  root.by = start_.by;
  root.conditions = std::move(start_.conditions);
  root.events.push_back(task_created{std::move(record)});
  if (start_.start)
    root.events.push_back(task_moved{task_state::working, 1, nullptr});
  env_.records.commit(std::move(root), std::move(answered));
}

// -- decisions ------------------------------------------------------------------------------------

std::optional<error> objective_actor::obey(objective_input input, command from) {
  const auto editable_bytes = [&] {
    if (from.plan)
      return editable_bytes_of(*view().plans[*from.plan].spec);
    auto sum = editable_bytes_of(view());
    if (from.report) // It may be about any of them.
      for (const auto& plan : view().plans)
        sum += editable_bytes_of(*plan.spec);
    return sum;
  };
  const auto before = editable_bytes();
  auto decision = life_.decide(std::move(input), env_.now());
  if (decision.refused)
    return decision.refused;
  hold_bytes(editable_bytes(), before); // before the answer
  if (decision.report && !answer_with_report(*decision.report, from)) {
    quit_if_ended(); // A dry run changes nothing.
    return std::nullopt;
  }
  carry_out(std::move(decision), std::move(from));
  return std::nullopt;
}

void objective_actor::follow(objective_input fact) {
  carry_out(life_.decide(std::move(fact), env_.now()), {});
}

// Commits the decided events first, then moves the root task, then sends messages to the plans.
void objective_actor::carry_out(objective_decision decision, command from) {
  const auto when = decision.answer;
  const bool now = from.answer && (when == answer_after::commit || is_settled(view().state));
  if (from.answer && !now)
    answer_later(when, from, decision.effects);
  waiting_answers waited;
  if (is_settled(view().state))
    for (auto& answer : std::exchange(closers_, {}))
      waited.answers.push_back(answer_of(std::move(answer), false));
  const bool moves_root =
      !view().root_task.empty() && std::ranges::any_of(decision.events, [](const event& one) {
        return std::holds_alternative<objective_moved>(one);
      });
  std::vector<std::uint32_t> ended;
  bool has_new_deadline = false;
  for (const auto& one : decision.events) {
    has_new_deadline = has_new_deadline || begins_deadline(one);
    if (const auto* changed = std::get_if<plan_changed>(&one))
      note_shape(*changing_->before, *changed);
    else if (const auto* whole = std::get_if<objective_changed>(&one))
      set_slots(*whole);
    else if (const auto* moved = std::get_if<plan_moved>(&one); moved && is_settled(moved->to()))
      ended.push_back(moved->plan);
  }
  if (has_new_deadline)
    mind_deadlines();
  for (const auto plan : ended)
    take_plan_closers(plan, waited);
  if (now)
    waited.answers.push_back(answer_of(from.answer, !from.conditions.empty()));
  std::ranges::copy(waited.conditions, std::back_inserter(from.conditions));
  auto then = all_of(std::move(waited.answers));
  const auto events = moves_root ? decision.events : std::vector<event>{};
  if (((then && !moves_root) || !from.conditions.empty()) && decision.events.empty())
    decision.events.emplace_back(objective_edited{}); // `then` runs after all earlier changes
  commit(decision.at, std::move(decision.events), moves_root ? committed_fn{} : std::move(then),
         from.by, from.conditions);
  if (moves_root)
    tell_root(events, std::move(from.metadata), std::move(then));
  for (const auto& refuse : waited.refusals)
    refuse();
  for (const auto plan : ended)
    tell_awaited(plan);
  for (const auto& effect : decision.effects)
    std::visit([&](const auto& one) { do_effect(one, from); }, effect);
  if (decision.look_again)
    follow(plans_told{});
  quit_if_ended();
}

/// The objective may have another `maxParallel` now.
void objective_actor::set_slots(const objective_changed& changed) {
  const bool is_set = std::ranges::any_of(changed.operations, [](const auto& each) {
    const auto* edited = std::get_if<edit_objective>(&each);
    return edited && edited->parallel_max;
  });
  if (!is_set)
    return;
  const auto most = view().parallel_max;
  if (slots_)
    tell(slots_, resize_slots{most > 0 ? most : std::numeric_limits<std::uint32_t>::max()});
  else if (most > 0)
    slots_ = spawn_actor<throttle_actor>(*self_, env_, most);
}

void objective_actor::answer_later(answer_after when, command& from,
                                   const std::vector<objective_effect>& effects) {
  switch (when) {
    case answer_after::commit:
    case answer_after::plan_answers: return;
    case answer_after::objective_end: closers_.push_back(from.answer); return;
    case answer_after::plan_end: return answer_after_ends(from, effects);
    case answer_after::plans_heard: {
      heard_by waiting{++commands_, {}, from.answer};
      for (const auto& effect : effects)
        if (const auto* pause = std::get_if<pause_running_plan>(&effect))
          waiting.plans.push_back(pause->plan);
      waiting_.push_back(std::move(waiting));
      return;
    }
  }
}

// The conditions of the command are committed with the end, not with the request to end, because
// the command may still be refused until then.
void objective_actor::answer_after_ends(command& from,
                                        const std::vector<objective_effect>& effects) {
  const auto left = std::make_shared<std::size_t>(0);
  const auto conditions =
      std::make_shared<const std::vector<once_ptr>>(std::exchange(from.conditions, {}));
  for (const auto& effect : effects)
    if (const auto* end = std::get_if<end_running_plan>(&effect)) {
      ++*left;
      plan_closers_[end->plan].push_back({end->to, left, from.answer, from.refuse, conditions});
    }
}

/// Moves to `into` what waits for the end of this ended plan. A plan may end by itself, or by an
/// earlier command, before it is told to end: a command that wants another end is refused.
void objective_actor::take_plan_closers(std::uint32_t plan, waiting_answers& into) {
  const auto closers = plan_closers_.extract(plan);
  if (!closers)
    return;
  const auto state = view().plans[plan].state;
  for (const auto& closer : closers.mapped()) {
    if (closer.refuse && state != closer.to) {
      into.refusals.emplace_back(
          [refuse = closer.refuse, why = wrong_move(state, closer.to)] { refuse(why); });
    } else if (--*closer.left == 0) {
      into.answers.push_back(answer_of(closer.answer, !closer.conditions->empty()));
      std::ranges::copy(*closer.conditions, std::back_inserter(into.conditions));
    }
  }
}

void objective_actor::commit(timestamp at, std::vector<event> events, committed_fn then,
                             std::optional<std::string> by, std::vector<once_ptr> conditions) {
  if (events.empty()) {
    if (then)
      then();
    return;
  }
  change change;
  change.context = view().id.str();
  change.at = at;
  change.events = std::move(events);
  change.by = std::move(by);
  change.conditions = std::move(conditions);
  write(std::move(change), std::move(then));
}

// The actor of an ended objective quits when all its changes are durable. Before that the stored
// record is older than its view.
void objective_actor::write(change change, committed_fn then) {
  if (is_settled(view().state)) {
    ++unwritten_;
    // Sends this message first, because `then` may throw if it reads the disk.
    then = [me = handle_of(self_), then = std::move(then)](const commit_outcome& outcome) {
      tell(me, objective_written{});
      if (then)
        then(outcome);
    };
  }
  env_.records.commit(std::move(change), std::move(then));
}

// Moves the root task like its objective. A root task that has ended stays as it is, even if the
// objective is retried.
void objective_actor::tell_root(const std::vector<event>& events, boost::json::object metadata,
                                committed_fn then) {
  std::vector<change> moves;
  for (const auto& one : events)
    if (const auto* moved = std::get_if<objective_moved>(&one)) {
      auto words = moved->to() == objective_state::blocked
                       ? blocked_words(moved->reason, view().pending_inputs)
                       : moved->reason;
      auto with = moved->to() == objective_state::canceled ? std::exchange(metadata, {})
                                                           : boost::json::object{};
      if (moved->to() == objective_state::canceled && with.empty())
        with = std::exchange(cancel_metadata_, {});
      if (moved->to() == objective_state::blocked)
        with = only_question(view().pending_inputs);
      moves.push_back(
          root_moved(view(), moved->to(), std::move(words), std::move(with), env_.now()));
    }
  for (std::size_t i = 0; i + 1 < moves.size(); ++i)
    write(std::move(moves[i]), nullptr);
  auto cancelers =
      is_settled(view().state) ? std::exchange(cancelers_, {}) : decltype(cancelers_){};
  committed_fn all_told = [&records = env_.records, id = view().root_task,
                           cancelers = std::move(cancelers), then = std::move(then)] {
    if (then)
      then();
    for (const auto& done : cancelers)
      records.read_task(id, done);
  };
  if (view().state == objective_state::completed)
    end_root(std::move(moves.back()), std::move(all_told));
  else
    write(std::move(moves.back()), std::move(all_told));
}

// -- plans ----------------------------------------------------------------------------------------

void objective_actor::do_effect(const start_plan& effect, const command&) {
  const auto plan = effect.plan;
  plan_start start;
  start.index = plan;
  start.view = life_.lend(plan);
  start.resolved = resolved_[plan];
  start.context = view().id.str();
  start.owner = view().owner;
  start.objective_name = view().name;
  start.objective_deadline = view().deadline;
  start.objective = handle_of(self_);
  start.slots = slots_;
  start.made = made_;
  start.trace = view().trace;
  start.references = view().references;
  for (auto at = awaited_later_.lower_bound({plan, 0});
       at != awaited_later_.end() && at->first.plan == plan; ++at)
    start.awaited_later.push_back(at->first.task);
  start.news = news_for(plan);
  start.objective_priority = view().priority;
  if (view().closing)
    start.end = plan_end{plan_end_with(*view().closing), view().closing_reason};
  else if (start.view.skip_requested)
    start.end = plan_end{plan_state::skipped, "skipped by request"};
  running_[plan] = spawn_actor<plan_actor>(*self_, env_, std::move(start));
}

void objective_actor::do_effect(const pause_running_plan& effect, const command&) {
  tell(running_[effect.plan], pause_plan{{effect.paused, effect.plan}, commands_});
}

void objective_actor::do_effect(const end_running_plan& effect, const command& from) {
  tell(running_[effect.plan], close_plan{effect.to, effect.reason, from.by, from.leaves});
}

void objective_actor::do_effect(const change_running_plan& effect, const command&) {
  const auto& asked = *changing_->message;
  tell(running_[effect.plan], reshape_tasks{asked.command, effect.terms, asked.done});
}

void objective_actor::do_effect(const tell_running_plans& effect, const command&) {
  for (const auto& plan : running_)
    if (plan)
      tell(plan, objective_news{effect.changed});
}

// -- deadlines ------------------------------------------------------------------------------------

// All deadlines are looked at, because a new one may lie before one that was carried out.
void objective_actor::mind_deadlines() {
  wait_for_deadline_after({});
}

void objective_actor::wait_for_deadline_after(timestamp carried_out) {
  if (const auto due = next_deadline(view(), carried_out))
    env_.deadlines.put(handle_of(self_), *due);
  else
    env_.deadlines.erase(self_->id());
}

bool objective_actor::begins_deadline(const event& one) const {
  if (const auto* moved = std::get_if<plan_moved>(&one))
    return moved->on == plan_event::work && moved->plan < view().plans.size()
           && view().plans[moved->plan].spec->deadline_after.count() > 0;
  return std::holds_alternative<objective_moved>(one) && view().deadline_after.count() > 0;
}

void objective_actor::on_deadline() {
  if (changing_)
    return after_change_.push_back([this] { on_deadline(); });
  wait_for_deadline_after(env_.now());
  follow(deadline_passed{});
}

void objective_actor::on_plan(plan_fact& message) {
  auto* ended = std::get_if<plan_ended>(&message.fact);
  if (!ended)
    return follow(std::move(message.fact));
  const auto plan = ended->plan;
  // An alternative may begin then, and that is a revision: the plan that is being changed has
  // been given the next one.
  if (changing_ && changing_->plan != plan)
    return ends_after_change_.push_back(
        [this, later = std::move(message)]() mutable { on_plan(later); });
  running_[plan] = nullptr;
  life_.take_back(plan, std::move(ended->summaries));
  tell_awaited(plan); // results that the plan has not reported
  ended_.erase(ended_.lower_bound({plan, 0}), ended_.lower_bound({plan + 1, 0}));
  follow(std::move(message.fact));
  answer_plan_closers(plan);
  for (auto& waiting : waiting_)
    std::erase(waiting.plans, plan); // it has heard everything
  answer_heard();
  if (changing_ && changing_->plan == plan) // dropped with its mailbox; the gateway repeats it
    end_change();
  quit_if_ended();
}

/// Answers commands that came when the plan's end was in the view already.
void objective_actor::answer_plan_closers(std::uint32_t plan) {
  waiting_answers waited;
  take_plan_closers(plan, waited);
  if (auto then = all_of(std::move(waited.answers)))
    commit(env_.now(), {objective_edited{}}, std::move(then), std::nullopt,
           std::move(waited.conditions));
  for (const auto& refuse : waited.refusals)
    refuse();
}

void objective_actor::on_heard(const plan_heard& fact) {
  for (auto& waiting : waiting_)
    if (waiting.command == fact.command)
      std::erase(waiting.plans, fact.plan);
  answer_heard();
}

// Each command is answered when the changes that followed from it are committed.
void objective_actor::answer_heard() {
  for (auto& waiting : waiting_)
    if (waiting.plans.empty())
      commit(env_.now(), {objective_edited{}}, std::exchange(waiting.answer, nullptr),
             std::nullopt);
  std::erase_if(waiting_, [](const heard_by& waiting) { return waiting.plans.empty(); });
}

// -- tasks that other plans wait for --------------------------------------------------------------

void objective_actor::on_awaited(const awaited_task_ended& fact) {
  if (!running_[fact.task.plan])
    return; // The plan has ended: who waits was told from its summaries.
  if (ended_.insert_or_assign(fact.task, fact).second)
    pass_on(fact);
}

// For a plan without an actor: the results of its tasks are read from their summaries.
void objective_actor::tell_awaited(std::uint32_t plan) {
  const auto tell_one = [&](std::uint32_t task) {
    const task_position at{plan, task};
    if (ended_.contains(at))
      return;
    if (const auto end = end_of(at))
      pass_on(*end);
  };
  std::uint32_t last = UINT32_MAX;
  for (const auto& edge : resolved_[plan]->outgoing)
    if (std::exchange(last, edge.task) != edge.task)
      tell_one(edge.task);
  for (auto at = awaited_later_.lower_bound({plan, 0});
       at != awaited_later_.end() && at->first.plan == plan; ++at)
    if (resolved_[plan]->awaited(at->first.task).empty())
      tell_one(at->first.task);
}

void objective_actor::pass_on(const awaited_task_ended& news) {
  for (const auto& to : waiting_for(news.task))
    if (running_[to.plan]) {
      life_.expect_progress(to.plan); // It says so again if the news sets nothing free.
      tell(running_[to.plan], news_of(news, to.task));
    }
}

std::vector<task_position> objective_actor::waiting_for(const task_position& task) const {
  std::vector<task_position> out;
  for (const auto& edge : resolved_[task.plan]->awaited(task.task))
    out.push_back(edge.dependent);
  if (const auto later = awaited_later_.find(task); later != awaited_later_.end())
    out.insert(out.end(), later->second.begin(), later->second.end());
  return out;
}

/// Returns nothing if the end of the task is not known, or the task has not ended.
std::optional<awaited_task_ended> objective_actor::end_of(const task_position& task) const {
  if (const auto known = ended_.find(task); known != ended_.end())
    return known->second;
  const auto& plan = view().plans[task.plan];
  if (plan.state == plan_state::pending || running_[task.plan])
    return std::nullopt;
  const auto& summary = plan.tasks[task.task];
  if (!is_terminal(summary.state)) // its plan is just being started
    return std::nullopt;
  return awaited_task_ended{task, is_satisfied(summary), plan.task_at(task.task),
                            summary.has_artifacts};
}

std::vector<dependency_news> objective_actor::news_for(std::uint32_t plan) const {
  std::vector<dependency_news> out;
  const auto& resolved = *resolved_[plan];
  if (resolved.externals.empty())
    return out;
  for (std::uint32_t task = 0; task < resolved.externals.size(); ++task)
    if (resolved.externals[task] > 0)
      for (auto i = resolved.dependency_offsets[task]; i < resolved.dependency_offsets[task + 1];
           ++i)
        if (const auto& at = resolved.dependency_positions[i]; at.plan != plan)
          if (const auto end = end_of(at))
            out.push_back(news_of(*end, task));
  return out;
}

dependency_news objective_actor::news_of(const awaited_task_ended& ended,
                                         std::uint32_t dependent) const {
  const auto& plan = view().plans[ended.task.plan].spec;
  return {
      dependent,          ended.met, ended.task, ended.id, {plan, &plan->tasks[ended.task.task]},
      ended.has_artifacts};
}

// -- the objective itself -------------------------------------------------------------------------

committed_fn objective_actor::answer_with_view(reply_port<objective_ptr> to) const {
  return
      [&records = env_.records, id = view().id, to = std::move(to)](const commit_outcome& outcome) {
        if (outcome.conflict)
          return to(came_before());
        records.read_objective(id, to);
      };
}

// Leaves the directory first. A later command then loads the objective again; a command that is
// still in the mailbox is sent again by the gateway.
void objective_actor::quit_if_ended() {
  if (!is_settled(view().state) || life_.running() > 0 || unwritten_ > 0)
    return;
  has_left_ = true;
  env_.objectives.remove(view().id.str(), handle_of(self_));
  self_->quit();
}

namespace {

bool asks_for_login(const objective_view& of) {
  return !of.paused && !of.pending_inputs.empty()
         && std::ranges::all_of(of.pending_inputs, &pending_input::is_auth);
}

} // namespace

task_state root_state(const objective_view& of, objective_state when) noexcept {
  switch (when) {
    case objective_state::submitted: return task_state::submitted;
    case objective_state::planning:
    case objective_state::working: return task_state::working;
    case objective_state::blocked:
      return asks_for_login(of) ? task_state::auth_required : task_state::input_required;
    case objective_state::completed: return task_state::completed;
    case objective_state::failed: return task_state::failed;
    case objective_state::canceled: return task_state::canceled;
  }
  return task_state::unspecified;
}

message_ptr said_to_root(const message& said, const task& record) {
  if (record.origin || record.agent != objective_agent)
    return nullptr;
  auto out = std::make_shared<message>(said);
  out->task_id = record.id.str();
  out->context_id = record.context;
  return out;
}

change root_moved(const objective_view& of, objective_state to, std::string words,
                  boost::json::object metadata, timestamp at) {
  change out;
  out.context = of.id.str();
  out.task = {of.root_task, true, 0, 0};
  out.at = at;
  message_ptr text;
  if (!words.empty())
    text = make_status_message(std::move(words), of.id.str(), of.root_task, std::move(metadata));
  out.events.push_back(task_moved{root_state(of, to), 1, std::move(text)});
  return out;
}

/// Names the question for an answer to the root task, if there is only one.
boost::json::object only_question(const std::vector<pending_input>& questions) {
  if (questions.size() != 1 || questions[0].question.empty())
    return {};
  const auto& asked = questions.front();
  return {{question_id_key, question_address{asked.task, asked.question}.str()}};
}

std::string blocked_words(const std::string& reason, const std::vector<pending_input>& questions) {
  auto out = reason;
  for (std::size_t i = 0; i < std::min(questions.size(), questions_shown_max); ++i)
    out += "\n" + questions[i].task.str() + ": "
           + shortened(questions[i].prompt, question_shown_bytes_max);
  if (questions.size() > questions_shown_max)
    out += "\n" + std::to_string(questions.size())
           + " tasks ask; inputs/list has all of their questions";
  return out;
}

} // namespace troupe
