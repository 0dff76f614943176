// The tasks of a plan: their actors, what these report, and the end of those that have none.
#include "actors/commands/once_desk.hpp"
#include "actors/plan/plan_actor.hpp"
#include "actors/slots/throttle_actor.hpp"
#include "actors/task/input_references.hpp"
#include "actors/task/status_message.hpp"
#include "protocol/fold/apply.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/text.hpp"
#include <troupe/actors/limits.hpp>

#include <algorithm>
#include <limits>

namespace troupe {

namespace {

/// For the fold: the place and the time of what a task has committed.
change place_of(std::uint32_t task, timestamp at) {
  change out;
  out.at = at;
  out.task.lone = false;
  out.task.task_index = task;
  return out;
}

/// How a task ends that has no actor.
task_state end_state(task_event how) noexcept {
  switch (how) {
    case task_event::complete: return task_state::completed;
    case task_event::fail: return task_state::failed;
    default: return task_state::canceled;
  }
}

/// The move as the objective keeps it: of a question its id, and its words as far as they are
/// shown.
task_moved question_part(const task_moved& moved) {
  auto out = moved;
  out.message = nullptr;
  if (!moved.message || !is_interrupted(moved.to))
    return out;
  auto kept = std::make_shared<message>();
  kept->parts.push_back(
      text_part(shortened(text_of(moved.message->parts), question_shown_bytes_max)));
  if (const auto* id = moved.message->metadata.if_contains(question_id_key))
    kept->metadata.emplace(question_id_key, *id);
  out.message = std::move(kept);
  return out;
}

} // namespace

// `in_line`: more tasks follow. CAF runs actors that an actor spawns in reverse order, so they are
// then spawned by the actor system, in order. The plan asks for the first slots of its tasks, so
// that they are granted in its order, too.
void plan_actor::spawn_task(const ready_task& ready, bool in_line) {
  const auto task = ready.task;
  const auto& summary = view_.tasks[task];
  const auto& spec = view_.spec->tasks[task];
  task_start start;
  start.plan = plan_;
  start.task_index = task;
  start.generation = summary.generation;
  start.agent = env_.agents.name_or_default(spec.agent);
  start.dependencies = dependencies_of(task);
  start.attempts = summary.attempt;
  start.exists = summary.state != task_state::unspecified;
  start.ready_at = ready.since;
  start.waits = pauses_.waits_since(ready.since);
  if (needs_slots(env_, start_.slots, start.agent))
    start.ticket = ++env_.last_ticket;
  const task_ready_again wanted{task, start.ticket};
  runs_[task] = wanted.ticket == 0 ? task_run::running : task_run::queued;
  ++running_count_;
  running_[task] = in_line ? spawn_actor<task_actor>(env_.system, env_, std::move(start))
                           : spawn_actor<task_actor>(*self_, env_, std::move(start));
  if (wanted.ticket != 0)
    static_cast<void>(request_slots_for(wanted, ready.since));
}

bool plan_actor::request_slots_for(const task_ready_again& task, timestamp since) {
  return request_slots(env_, start_.slots,
                       env_.agents.name_or_default(view_.spec->tasks[task.task].agent),
                       {.ticket = task.ticket,
                        .objective = start_.context,
                        .owner = start_.owner,
                        .priority = priority_of(task.task),
                        .has_begun = has_begun(task.task) || parked_[task.task],
                        .waiting_since = since,
                        .objective_priority = start_.objective_priority},
                       running_[task.task]);
}

/// The sum of the priorities of the task and of its plan.
std::int32_t plan_actor::priority_of(std::uint32_t task) const {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const auto sum = std::int64_t{view_.spec->tasks[task].priority} + view_.spec->priority;
  return static_cast<std::int32_t>(std::clamp(sum, -most, most));
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
  runs_[fact.task] = task_run::none;
  std::erase_if(ready_again_,
                [&](const task_ready_again& other) { return other.task == fact.task; });
  running_[fact.task] = nullptr;
  --running_count_;
  stopping_count_ += fact.is_stopping ? 1 : 0;
  on_task_moved(fact.task, fact.moved, fact.at);
  if (fact.has_artifacts)
    note_artifacts(view_, place_of(fact.task, fact.at));
  artifacts_around_ = artifacts_around_ || fact.has_artifacts;
  end_calls(fact.task);
  if (is_removed(fact.task)) {
    spawn_ready();
  } else if (is_satisfied(view_.tasks[fact.task])) {
    tell_awaited(fact.task, true);
    std::vector<std::uint32_t> ready;
    graph_.satisfy(fact.task, ready);
    release(std::move(ready));
  } else {
    const auto& said = fact.moved.message;
    const auto reason =
        said ? shortened(text_of(said->parts), last_words_bytes_max) : std::string{};
    fail_task(fact.task, "task " + troupe::quoted(label(fact.task)) + " "
                             + std::string{to_string(fact.moved.to)}
                             + (reason.empty() ? "" : ": " + reason));
    spawn_ready(); // tasks that waited for maxParallel
  }
  check();
}

void plan_actor::on_waits(const task_waits& fact) {
  if (!running_[fact.task])
    return;
  set_parked(fact.task, fact.parked);
  runs_[fact.task] = fact.backing_off ? task_run::backing_off : task_run::running;
  if (fact.moved)
    on_task_moved(fact.task, *fact.moved, fact.at);
  if (fact.backing_off)
    end_calls(fact.task);
  spawn_ready(); // tasks that waited for maxParallel
  check();
}

void plan_actor::on_ready_again(const task_ready_again& fact) {
  if (!running_[fact.task])
    return;
  ready_again_.push_back(fact);
  spawn_ready();
  check();
}

// The plan has room for the task again. Requests its other slots, ahead of tasks that have not
// begun.
void plan_actor::go_on_with(const task_ready_again& task) {
  const bool waits = request_slots_for(task, env_.now());
  set_parked(task.task, false);
  if (!waits)
    tell(running_[task.task], slot_granted{task.ticket});
}

void plan_actor::set_parked(std::uint32_t task, bool parked) {
  if (parked_[task] == parked)
    return;
  uncount(task);
  parked_[task] = parked;
  count(task);
}

// What a task has committed, or its start. The objective knows what is asked, with as much of the
// words as it shows.
void plan_actor::on_task_moved(std::uint32_t task, const task_moved& moved, timestamp at) {
  const bool asked = is_interrupted(view_.tasks[task].state);
  uncount(task);
  auto where = place_of(task, at);
  const auto due = view_.spec->tasks[task].deadline;
  apply(view_, where, moved);
  count(task);
  if (view_.spec->tasks[task].deadline != due) { // It counts from the start.
    note_deadline(task);
    mind_deadlines();
  }
  if (!asked && !is_interrupted(moved.to))
    return;
  where.task.id = view_.task_at(task);
  where.task.plan_index = start_.index;
  tell(start_.objective, plan_fact{question_changed{where.task, at, question_part(moved)}});
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

// A task without an actor was withdrawn. What depends on a called one goes on.
void plan_actor::follow_withdrawal(std::uint32_t task, const std::string& reason) {
  if (!is_satisfied(view_.tasks[task]))
    return fail_task(task, reason);
  std::vector<std::uint32_t> ready;
  graph_.satisfy(task, ready);
  release(std::move(ready));
}

// -- deadlines of tasks ---------------------------------------------------------------------------

void plan_actor::note_deadlines(std::uint32_t from) {
  for (auto task = from; task < view_.tasks.size(); ++task)
    note_deadline(task);
  mind_deadlines();
}

// A deadline that is removed or moved later stays in the table. When it passes, the task has
// another one or none, and nothing happens.
void plan_actor::note_deadline(std::uint32_t task) {
  const auto& deadline = view_.spec->tasks[task].deadline;
  if (deadline && !is_terminal(view_.tasks[task].state))
    deadlines_.emplace(*deadline, task);
}

void plan_actor::mind_deadlines() {
  if (deadlines_.empty())
    env_.deadlines.erase(self_->id());
  else
    env_.deadlines.put(handle_of(self_), deadlines_.begin()->first);
}

void plan_actor::on_deadline() {
  const auto now = env_.now();
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    const auto [due, task] = *deadlines_.begin();
    deadlines_.erase(deadlines_.begin());
    if (view_.spec->tasks[task].deadline == due)
      end_late(task);
  }
  mind_deadlines();
  check();
}

/// Whether its deadline, the plan's or the objective's has passed.
bool plan_actor::is_late(std::uint32_t task) const {
  const auto now = env_.now();
  const auto has_passed = [now](const std::optional<timestamp>& due) { return due && *due <= now; };
  return has_passed(view_.spec->tasks[task].deadline) || has_passed(view_.spec->deadline)
         || has_passed(start_.objective_deadline);
}

void plan_actor::end_late(std::uint32_t task) {
  if (is_settled(view_.state) || end_ || is_removed(task) || is_terminal(view_.tasks[task].state))
    return;
  const auto reason = "the task has not ended before its deadline, "
                      + to_rfc3339(*view_.spec->tasks[task].deadline);
  if (running_[task])
    return tell(
        running_[task],
        cancel_run{
            .reason = reason, .metadata = {}, .done = {}, .as = task_event::fail, .is_late = true});
  std::erase_if(ready_, [&](const ready_task& other) { return other.task == task; });
  withdraw({task}, {.reason = reason, .as = task_event::fail});
  follow_withdrawal(task, "task \"" + label(task) + "\" failed: " + reason);
}

void plan_actor::withdraw(const std::vector<std::uint32_t>& tasks, const withdrawal_order& order) {
  std::vector<std::uint32_t> fresh;
  std::vector<std::uint32_t> ended;
  for (const auto task : tasks) {
    if (is_terminal(view_.tasks[task].state))
      continue;
    ended.push_back(task);
    if (has_begun(task))
      end_without_actor(task, order);
    else
      fresh.push_back(task);
  }
  if (!fresh.empty()) {
    std::vector<event> events;
    events.emplace_back(tasks_withdrawn{start_.index, std::move(fresh), end_state(order.as),
                                        order.reason, order.metadata});
    auto withdrawn = change_of(std::move(events));
    withdrawn.by = order.by;
    withdrawn.conditions = order.conditions;
    env_.records.commit(std::move(withdrawn), order.then);
  }
  for (const auto task : ended)
    tell_awaited(task, is_satisfied(view_.tasks[task]));
}

// A task that began in an earlier process and has no actor in this one.
void plan_actor::end_without_actor(std::uint32_t task, const withdrawal_order& order) {
  const auto id = view_.task_at(task);
  change change;
  change.context = start_.context;
  change.task = {id, false, start_.index, task};
  change.at = env_.now();
  change.by = order.by;
  change.conditions = order.conditions;
  for (const auto& made : order.artifacts)
    change.events.push_back(task_artifact{made, false, true});
  change.events.push_back(
      task_moved{end_state(order.as), view_.tasks[task].attempt,
                 make_status_message(order.reason, start_.context, id, order.metadata)});
  apply(view_, change, std::get<task_moved>(change.events.back()));
  if (!order.artifacts.empty())
    apply(view_, change, task_artifact{});
  env_.records.commit(std::move(change), order.then);
}

void plan_actor::cancel_one(const task_cancel& command) {
  if (const auto& task = running_[command.task])
    return tell(task, command.command);
  if (is_terminal(view_.tasks[command.task].state))
    return; // the sender gets its answer when the message is dropped
  std::erase_if(ready_, [&](const ready_task& other) { return other.task == command.task; });
  const auto& asked = command.command;
  withdraw({command.task}, {asked.reason, asked.metadata, asked.by,
                            [&records = env_.records, id = view_.task_at(command.task),
                             done = asked.done](const commit_outcome& outcome) {
                              if (outcome.conflict)
                                return done(came_before());
                              records.read_task(id, done);
                            },
                            asked.conditions});
  follow_withdrawal(command.task,
                    "task " + troupe::quoted(label(command.task)) + " canceled: " + asked.reason);
  check();
}

} // namespace troupe
