#include "actors/task/task_actor.hpp"

#include "actors/commands/once_answer.hpp"
#include "actors/commands/once_desk.hpp"
#include "actors/slots/throttle_actor.hpp"
#include "protocol/a2a/request_path.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/json/text_in.hpp"
#include "protocol/text/text.hpp"
#include <troupe/actors/limits.hpp>

#include <algorithm>

namespace troupe {

namespace {

void set_task_timer(const task_handle& task, task_timer::purpose kind, std::uint32_t attempt,
                    std::chrono::nanoseconds after,
                    std::chrono::nanoseconds hop_max = timer_hop_max) {
  const auto hop = std::min(after, hop_max);
  tell_after(hop, task, task_timer{kind, attempt, after - hop});
}

/// What a report counts beside its content: the queues hold it as a message and as a change.
constexpr std::size_t report_overhead_bytes = 512;

std::size_t bytes_of_report(const agent_report& report) noexcept {
  if (const auto* made = std::get_if<report_artifact>(&report))
    return report_overhead_bytes + bytes_of(made->artifact);
  if (const auto* said = std::get_if<report_message>(&report))
    return report_overhead_bytes + bytes_of(said->message);
  if (const auto* kept = std::get_if<report_note>(&report))
    return report_overhead_bytes + kept->note.size();
  if (const auto* asked = std::get_if<report_question>(&report))
    return report_overhead_bytes + asked->prompt.size() + bytes_of(asked->form)
           + bytes_of(asked->data);
  if (const auto* wanted = std::get_if<report_change>(&report))
    return report_overhead_bytes + bytes_of(wanted->operations);
  return report_overhead_bytes;
}

/// The way back from an agent to its task: messages to the actor, marked with the attempt it
/// belongs to.
class task_port final : public agent_port, public report_window {
public:
  task_port(task_handle to, std::uint32_t attempt)
      : report_window(report_window_bytes_max), to_(std::move(to)), attempt_(attempt) {}

  void report(agent_report report) override {
    auto held = hold(bytes_of_report(report));
    tell(to_, agent_reported{attempt_, std::move(report), std::move(held)});
  }
  bool has_room() override { return ask_for_room(); }
  void wake_after(std::chrono::nanoseconds delay) override {
    set_task_timer(to_, task_timer::purpose::wake, attempt_, delay);
  }

private:
  void on_room_made() override {
    tell(to_, attempt_committed{attempt_committed::fact::room, attempt_});
  }

  task_handle to_;
  std::uint32_t attempt_;
};

/// What lets go of a report once the store has it.
committed_fn let_go_after(held_report&& held) {
  return held ? committed_fn{[held = std::move(held)] {}} : committed_fn{};
}

} // namespace

task_actor::task_actor(actor_pointer<handle> self, environment& env, task_start&& start)
    : self_(self), env_(env), plan_(std::move(start.plan)),
      agent_(env.agents.find(start.agent).get()), task_index_(start.task_index),
      generation_(start.generation), is_taken_up_(!start.exists) {
  env_.live_tasks.fetch_add(1, std::memory_order_relaxed);
  life_.status.state = !start.exists        ? task_state::unspecified
                       : start.attempts > 0 ? task_state::working
                                            : task_state::submitted;
  life_.attempt = start.attempts;
  if (!start.dependencies.empty())
    details().dependencies = std::move(start.dependencies);
  if (start.ticket != 0)
    details().ticket = start.ticket;
  if (start.ticket != 0
      || (plan_ && plan_->spec->parallel_max > 0)) // Without a limit it never waits for a slot.
    details().ready_at = start.ready_at;
  if (!start.waits.empty()) {
    details().ready_at = start.ready_at;
    details().waits = std::move(start.waits);
  }
  if (!plan_)
    lone_ = std::make_unique<conversation>(
        conversation{std::move(start.id), std::move(start.agent), std::move(start.context),
                     std::move(start.owner), std::move(start.request),
                     std::move(start.request_metadata), std::move(start.accepted_output_modes),
                     std::move(start.trace), std::move(start.follow), std::move(start.done)});
  if (!start.conditions.empty())
    details().conditions = std::move(start.conditions);
  if (lone_)
    env_.memory.force(memory_account::live_work, input_bytes());
}

task_actor::~task_actor() {
  env_.live_tasks.fetch_sub(1, std::memory_order_relaxed);
  env_.memory.give_back(memory_account::live_work, input_bytes());
  env_.memory.give_back(memory_account::large_output, large_output_bytes_);
  env_.memory.give_back(memory_account::small_output,
                        small_output_bytes_ + (details_ ? details_->note_bytes : 0));
  if (env_.stopping)
    return;
  give_slots_back();
  if (!over()) {
    const std::string reason = "the task's actor died";
    ensure_created();
    note_progress();
    if (take(task_ends{task_event::fail, reason}))
      tell_end();
  }
  tell_stopped();
}

void task_actor::on(agent_reported& fact) {
  if (fact.attempt != life_.attempt || life_.awaits_retry)
    return;
  if (!std::holds_alternative<report_progress>(fact.report))
    settle_promise(); // It may close the question.
  on_report(std::move(fact.report), std::move(fact.held));
}

void task_actor::on(task_timer& fact) {
  if (fact.attempt != life_.attempt)
    return;
  if (fact.kind != task_timer::purpose::progress)
    settle_promise();
  // A gateway that ends waits for its actors, and so for an agent that is to stop; but no longer
  // than it would for any other agent.
  const bool is_let_go = fact.kind == task_timer::purpose::grace && env_.stopping;
  if (fact.left.count() > 0 && !is_let_go)
    set_timer(fact.kind, fact.left);
  else
    on_timer(fact);
}

void task_actor::on(attempt_committed& fact) {
  if (fact.attempt != life_.attempt || over() || is_stopping())
    return;
  if (fact.kind == attempt_committed::fact::begin)
    return start_agent();
  if (run_)
    call_agent(
        [&] { fact.kind == attempt_committed::fact::note ? run_->on_noted() : run_->on_room(); });
}

void task_actor::on(slot_granted& fact) {
  if (!details_ || fact.ticket != details_->ticket || over())
    return;
  details_->slot_since = env_.now();
  if (plan_ && !is_created()) // The plan counts it as begun: a change no longer edits it.
    tell(plan_->plan, task_waits{task_index_, false});
  if (is_taken_up_)
    go_on();
}

// -- when it runs ---------------------------------------------------------------------------------

void task_actor::begin() {
  if (is_created()) {
    if (lone_)
      env_.wait_until_entered();
    return read_own_record();
  }
  if (!agent_)
    return end(task_event::fail, "no agent is named " + troupe::quoted(agent_name())
                                     + "; there are: " + listed_names(env_.agents.names()));
  if (details_ && details_->ticket != 0)
    return announce(); // slot_granted follows
  begin_attempt();
}

// Reads the record of the task from before the restart.
void task_actor::read_own_record() {
  env_.records.read_task(id(), [me = handle_of(self_)](result<task_ptr> record) {
    tell(me, record_read{std::move(record)});
  });
}

void task_actor::on(record_read& fact) {
  if (over() || is_taken_up_)
    return;
  if (fact.record)
    return take_up(**fact.record);
  if (is_unreadable(fact.record.error()))
    return read_again_later(fact.record.error());
  take_up(task{});
}

void task_actor::take_up(const task& record) {
  is_taken_up_ = true;
  if (!record.id.empty()) {
    life_ = record;
    has_artifacts_ = !record.artifacts.empty();
    artifacts_made_ = static_cast<std::uint32_t>(record.artifacts.size());
    hold_output(record);
    bool is_request = lone_ != nullptr;
    for (const auto& said : record.history)
      if (said->from == role::user && !std::exchange(is_request, false))
        keep_input(said);
    if (life_.question)
      details().is_left_open = true;
    if (!record.details->note.empty())
      details().note = record.details->note;
    if (record.details->usage.calls > 0)
      details().used = record.details->usage;
    note_questions_before(record);
  }
  resume(record.since);
  if (details_)
    for (auto& each : std::exchange(details_->early_inputs, {}))
      on_input(each.command);
}

void task_actor::resume(timestamp since) {
  if (over())
    return leave();
  if (!agent_)
    return end(task_event::fail, "no agent is named " + troupe::quoted(agent_name())
                                     + "; there are: " + listed_names(env_.agents.names()));
  if (life_.awaits_retry) { // The backoff began in the earlier process.
    give_slots_back();
    if (plan_)
      tell(plan_->plan, task_waits{task_index_, is_limited(), true});
    if (life_.is_queued) // The wait was over, and it stood in line for a slot.
      return wait_for_retry(milliseconds{0});
    const auto wait = backoff_after(retry(), life_.failures, backoff_random(id(), life_.failures));
    return wait_for_retry(std::clamp(since + wait - env_.now(), milliseconds{0}, wait));
  }
  if (!goes_on() && life_.attempt > 0 && restart() == restart_rule::fail)
    return end(task_event::fail,
               "the process ended while the task ran, and its agent must not do it twice");
  if (!details_ || details_->ticket == 0 || details_->slot_since != timestamp{})
    go_on();
}

/// Whether the attempt of an earlier process goes on under its number.
bool task_actor::goes_on() const {
  return life_.attempt > 0 && !life_.awaits_retry && details_ && !details_->note.empty()
         && agent_->goes_on(details_->note);
}

void task_actor::read_again_later(const error& why) {
  if (!std::exchange(details().read_failed, true) && env_.options.warn)
    env_.options.warn("task " + id().str() + " waits for the disk: " + why.message
                      + " (said once for each task)");
  set_timer(task_timer::purpose::reading, store_read_pause);
}

// A lone task that waits for a slot is visible as SUBMITTED. It can be read, canceled, and get
// messages.
void task_actor::announce() {
  if (!lone_)
    return;
  env_.lone_tasks.put(lone_->id.str(), handle_of(self_));
  ensure_created();
  commit();
}

// It has the slots it needs, or needs none.
void task_actor::go_on() {
  if (over() || is_stopping())
    return;
  if (!began_here_ || life_.awaits_retry)
    return begin_attempt(!began_here_ && goes_on());
  if (run_ && details_ && details_->is_calling)
    return end_calling();
  if (is_asking()) { // It has asked again while it waited for its slot.
    give_slots_back();
    if (plan_)
      tell(plan_->plan, task_waits{task_index_, true});
    return;
  }
  if (take(attempt_resumes{}))
    commit();
  start_agent();
}

// For a later attempt, or to go on with an answer. The plan's `maxParallel` comes first,
// then the slots.
void task_actor::wait_for_slot() {
  if (!is_limited())
    return go_on();
  static_cast<void>(take(slot_wanted{})); // Refused if it is recorded as waiting already.
  if (details().ticket != 0)
    return commit(); // it waits already
  const auto ticket = ++env_.last_ticket;
  details().ticket = ticket;
  const committed_fn plan_asked =
      !plan_ ? committed_fn{} : [plan = plan_->plan, fact = task_ready_again{task_index_, ticket}] {
        tell(plan, task_ready_again{fact});
      };
  if (pending_.empty() && plan_asked)
    return plan_asked();
  commit(plan_asked);
  if (!plan_)
    static_cast<void>(request_slots(env_, throttle_handle{}, agent_name(),
                                    {.ticket = ticket,
                                     .objective = context(),
                                     .owner = owner(),
                                     .has_begun = true,
                                     .waiting_since = env_.now()},
                                    handle_of(self_)));
}

// A long wait is an entry of the desk, not a message every timer_hop_max.
void task_actor::wait_for_retry(std::chrono::milliseconds wait) {
  if (wait <= timer_hop_max)
    return set_timer(task_timer::purpose::retry, wait);
  details().retries_by_desk = true;
  env_.deadlines.put(handle_of(self_), task_timer::purpose::retry, life_.attempt,
                     env_.now() + wait);
}

void task_actor::give_slots_back() {
  const auto ticket = details_ ? std::exchange(details_->ticket, 0) : 0;
  if (ticket == 0)
    return;
  const auto since = std::exchange(details_->slot_since, {});
  return_slots(env_, objective_slots(), agent_name(),
               {ticket, since == timestamp{} ? milliseconds{0} : env_.now() - since});
}

/// Whether it may have to wait before it runs.
bool task_actor::is_limited() const {
  return (plan_ && plan_->spec->parallel_max > 0)
         || needs_slots(env_, objective_slots(), agent_name());
}

// -- attempts -------------------------------------------------------------------------------------

agent_port_ptr task_actor::make_port() {
  return std::make_shared<task_port>(handle_of(self_), life_.attempt);
}

void task_actor::begin_attempt(bool goes_on) {
  if (agent_->begins_nothing()) // Nothing is recorded of it: the next process begins it.
    return announce();
  ensure_created();
  const bool is_retry = life_.awaits_retry;
  const bool is_first = life_.attempt == 0;
  if (!take(attempt_begins{.goes_on = goes_on, .keeps_question = is_left_open()}))
    return;
  if (is_first)
    begin_deadline();
  if (is_retry && plan_)
    tell(plan_->plan, task_waits{task_index_, false});
  began_here_ = true;
  if (details_) {
    details_->timeouts_set = 0; // those that still run are of an earlier attempt
    if (!goes_on)
      details_->note.clear();
    if (details_->progress) {
      details_->progress->begin_attempt();
      details_->progress_timer = false; // the one that runs is of an earlier attempt
    }
  }
  if (restart() != restart_rule::fail)
    return start_agent();
  if (lone_)
    env_.lone_tasks.put(lone_->id.str(), handle_of(self_));
  commit([me = handle_of(self_), attempt = life_.attempt] {
    tell(me, attempt_committed{attempt_committed::fact::begin, attempt});
  });
}

// What its order needs of other tasks is read first.
void task_actor::start_agent() {
  auto needed = referenced_ids(referring_messages());
  if (details_)
    for (const auto& dependency : details_->dependencies)
      needed.push_back(dependency.id);
  if (!needed.empty())
    details().order_reads = read_made(needed);
  start_with_order();
}

void task_actor::on_started(start_result started) {
  struct visitor {
    task_actor& me;
    void operator()(report_completed& done) const { me.complete(std::move(done)); }
    void operator()(report_failed& failed) const { me.fail(std::move(failed)); }
    void operator()(report_rejected& rejected) const { me.reject(std::move(rejected)); }
    void operator()(report_question& question) const { me.take_question(question); }
    void operator()(report_reply& answer) const { me.reply(std::move(answer)); }
    void operator()(agent_run_ptr& run) const {
      me.run_ = std::move(run);
      if (me.lone_)
        me.env_.lone_tasks.put(me.lone_->id.str(), handle_of(me.self_));
      me.commit();
      me.begin_time();
    }
  };
  std::visit(visitor{*this}, started);
}

/// Starts the time-out of the attempt. It starts again with each answer.
void task_actor::begin_time() {
  if (timeout().count() == 0)
    return;
  ++details().timeouts_set;
  set_timer(task_timer::purpose::timeout, timeout());
}

void task_actor::call_agent(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& e) {
    fail(report_failed{std::string{"the agent threw: "} + e.what(), true});
  } catch (...) {
    fail(report_failed{"the agent threw an unknown exception", true});
  }
}

// -- what comes in --------------------------------------------------------------------------------

void task_actor::on_report(agent_report report, held_report held) {
  const bool ends = std::holds_alternative<report_completed>(report)
                    || std::holds_alternative<report_failed>(report)
                    || std::holds_alternative<report_rejected>(report)
                    || std::holds_alternative<report_canceled>(report);
  if (is_stopping() || over()) {
    if (const auto* how = std::get_if<report_canceled>(&report))
      settle_cancel(*how);
    if (const auto* how = std::get_if<report_canceled>(&report);
        how && is_stopping() && how->outcome != cancel_outcome::acknowledged)
      details_->stopping->reason +=
          "; the agent was asked to stop: " + std::string{to_string(how->outcome)}
          + (how->reason.empty() ? "" : ", " + how->reason);
    if (ends)
      after_stop();
    return;
  }
  struct visitor {
    task_actor& me;
    held_report& held;
    void operator()(report_progress& it) const { me.add_progress(std::move(it.report)); }
    void operator()(report_artifact& it) const {
      if (auto full = me.count_output(bytes_of(it.artifact)))
        return me.stop_agent(std::move(*full));
      me.add_artifact(std::move(it));
      me.commit(let_go_after(std::move(held)));
    }
    void operator()(report_message& it) const {
      if (auto full = me.count_output(bytes_of(it.message)))
        return me.stop_agent(std::move(*full));
      me.add_message(std::move(it.message));
      me.commit(let_go_after(std::move(held)));
    }
    void operator()(report_question& it) const { me.take_question(it); }
    void operator()(report_completed& it) const { me.complete(std::move(it)); }
    void operator()(report_failed& it) const { me.fail(std::move(it)); }
    void operator()(report_rejected& it) const { me.reject(std::move(it)); }
    void operator()(report_withdrawal& it) const { me.withdraw_question(it); }
    void operator()(report_note& it) const { me.keep_note(std::move(it)); }
    void operator()(report_canceled&) const {} // it was not told to stop
    void operator()(report_change& it) const {
      if (me.run_) // else its answer would reach nobody
        me.want_change(std::move(it));
    }
  };
  std::visit(visitor{*this, held}, report);
}

void task_actor::on_timer(const task_timer& timer) {
  switch (timer.kind) {
    case task_timer::purpose::wake:
      if (run_ && !is_stopping() && !over())
        call_agent([&] { run_->on_wake(); });
      return;
    case task_timer::purpose::retry:
      if (!over() && !is_stopping()
          && life_.awaits_retry) // A change may have started the retry already.
        wait_for_slot();
      return;
    case task_timer::purpose::timeout:
      if (--details().timeouts_set > 0 || over() || is_stopping() || life_.awaits_retry)
        return;
      if (lone_) // its deadline, which a question does not put off
        return stop_agent(report_failed{"the task has not ended before its deadline, "
                                            + to_rfc3339(own_deadline().value_or(timestamp{})),
                                        false});
      if (!is_asking()) // An open question has no time-out; the answer starts it again.
        stop_agent(report_failed{"timed out after " + seconds_text(timeout()), true});
      return;
    case task_timer::purpose::grace:
      if (is_stopping() || over())
        after_stop();
      return;
    case task_timer::purpose::progress:
      details().progress_timer = false;
      if (!over())
        flush_progress();
      return;
    case task_timer::purpose::question:
      if (is_stopping() || !life_.question)
        return;
      if (life_.question->deadline && *life_.question->deadline <= env_.now())
        return answer_with_default()
                   ? void()
                   : end_question(question_end::expired, "the question expired without an answer");
      if (life_.question->remind_at && *life_.question->remind_at <= env_.now())
        return remind();
      details().deadline.reset(); // It was for an earlier question, or the computer's clock was set
                                  // back meanwhile.
      mind_deadline();
      return;
    case task_timer::purpose::reading:
      if (over() || is_stopping())
        return;
      if (!is_taken_up_)
        return read_own_record();
      if (details().order_reads)
        return start_agent();
      read_called();
      return read_deliveries_again();
  }
}

void task_actor::cancel(const cancel_run& command) {
  if (over())
    return; // The caller gets an error when the message is destroyed.
  bool stopped = true;
  if (run_ && !is_stopping())
    stopped = stop_run(command.leaves ? command.leaves->within() : std::nullopt);
  else if (is_stopping())
    stopped = false; // it was told already
  quit_after_stop_ = !stopped;
  keeps_place_ = !stopped && !is_parked();
  if (!stopped)
    env_.stopping_tasks.put(id().str(), handle_of(self_));
  // Another agent does the task, so the answer to the cancel says how that agent took it.
  if (command.leaves && !stopped && run_ && details_ && details_->note_bytes > 0
      && run_->cancel_grace_min().count() > 0)
    details_->leaves = command.leaves;
  if (command.done)
    details().canceled = command.done;
  if (command.by)
    details().canceled_by = command.by;
  if (!command.conditions.empty())
    details().conditions = command.conditions;
  ensure_created();
  for (const auto& made : command.artifacts)
    add_artifact({*made, false, true});
  end(command.as, command.reason, command.metadata, command.is_late);
  if (!stopped)
    begin_grace();
}

// -- how an attempt ends --------------------------------------------------------------------------

void task_actor::complete(report_completed report) {
  auto bytes = report.message.size();
  for (const auto& made : report.artifacts)
    bytes += bytes_of(made);
  if (auto full = count_output(bytes))
    return fail(std::move(*full));
  note_progress();
  for (auto& made : report.artifacts)
    add_artifact({std::move(made), false, true});
  end(task_event::complete, report.message);
}

void task_actor::reject(report_rejected report) {
  if (auto full = count_text(report.reason))
    return fail(std::move(*full));
  end(task_event::reject, report.reason);
}

// If nothing of this lone task is committed yet, only the message is sent, and the pending events
// are dropped.
void task_actor::reply(report_reply report) {
  const bool is_to_be_kept = details_ && !details_->conditions.empty();
  if (!lone_ || !lone_->done
      || (is_to_be_kept && bytes_of(report.message) > kept_answer_bytes_max)) {
    artifact out;
    out.name = "reply";
    out.parts = std::move(report.message.parts);
    return complete(report_completed{{std::move(out)}, {}});
  }
  static_cast<void>(take(task_ends{task_event::complete, {}}));
  pending_.clear();
  if (report.message.message_id.empty())
    report.message.message_id = thread_id_source().next("msg");
  report.message.from = role::agent;
  report.message.task_id.clear();
  report.message.context_id = lone_->context;
  answer_directly(std::make_shared<const message>(std::move(report.message)));
  leave();
}

/// Answers with a message; no task is made. If the message may come again, its answer is kept.
void task_actor::answer_directly(message_ptr said) {
  const auto done = std::exchange(lone_->done, {});
  sent answer;
  answer.task = lone_->id;
  answer.context = lone_->context;
  answer.answer = said;
  if (!details_ || details_->conditions.empty())
    return done(std::move(answer));
  change kept;
  kept.at = env_.now();
  kept.conditions = answered(std::exchange(details_->conditions, {}), {.message = std::move(said)});
  env_.records.commit(std::move(kept), [done, answer](const commit_outcome& outcome) {
    done(outcome.conflict ? result<sent>{came_before()} : result<sent>{answer});
  });
}

// Ends the task, or waits and begins the next attempt. The failed attempt is an event in both
// cases.
void task_actor::fail(report_failed failure) {
  run_.reset();
  forget_changes();
  if (details_) {
    details_->questions.clear();
    details_->deliveries.clear();
    details_->order_reads.reset();
    details_->is_left_open = false;
    details_->questions_before.clear();
  }
  note_progress();
  if (auto full = count_text(failure.reason))
    failure = std::move(*full);
  const auto due = lone_ ? own_deadline() : std::nullopt;
  const auto decided = take(attempt_fails{
      std::move(failure), backoff_random(id(), life_.failures + 1), due && *due <= env_.now()});
  if (!decided)
    return;
  if (decided->effect == task_effect::end) {
    tell_end();
    return leave();
  }
  if (lone_)
    env_.lone_tasks.put(lone_->id.str(), handle_of(self_));
  const bool limited = is_limited();
  give_slots_back();
  commit_wait(limited, true);
  take_held_inputs();
  wait_for_retry(decided->wait);
}

void task_actor::stop_agent(report_failed because) {
  if (!run_ || stop_run())
    return fail(std::move(because));
  details().stopping = std::move(because);
  begin_grace();
}

/// Tells the agent to stop; true if it reports nothing more. It counts as true if it throws.
bool task_actor::stop_run(std::optional<std::chrono::milliseconds> within) {
  try {
    if (auto said = run_->unreported()) {
      ensure_created();
      add_message(std::move(*said));
    }
    if (within)
      run_->on_cancel_within(*within);
    return run_->on_cancel();
  } catch (...) {
    return true;
  }
}

void task_actor::begin_grace() {
  set_timer(task_timer::purpose::grace, std::max<std::chrono::nanoseconds>(
                                            env_.options.cancel_grace, run_->cancel_grace_min()));
}

// The agent has stopped, or its time to stop is over.
void task_actor::after_stop() {
  run_.reset();
  if (over()) {
    leave();
  } else if (is_stopping()) {
    auto because = std::move(*details_->stopping);
    details_->stopping.reset();
    fail(std::move(because));
  }
}

// Commits the terminal event; once it is committed, tells the plan.
void task_actor::end(task_event how, const std::string& text, const boost::json::object& metadata,
                     bool is_late) {
  ensure_created();
  note_progress();
  if (!take(task_ends{how, text, metadata, is_late}))
    return;
  tell_end();
  if (!quit_after_stop_)
    leave();
}

void task_actor::tell_end() {
  auto ended = take_pending();
  auto then = answer_to_cancel();
  if (plan_)
    then = [plan = plan_,
            fact = task_settled{task_index_, *last_move(ended), ended.at, has_artifacts_,
                                keeps_place_},
            canceled = std::move(then)](const commit_outcome& outcome) mutable {
      tell(plan->plan, std::move(fact));
      if (canceled)
        canceled(outcome);
    };
  submit(std::move(ended), std::move(then));
  if (lone_)
    env_.lone_tasks.remove(lone_->id.str(), handle_of(self_));
}

/// Null if there was no request.
committed_fn task_actor::answer_to_cancel() {
  if (!details_ || !details_->canceled)
    return nullptr;
  auto done = std::exchange(details_->canceled, {});
  return
      [&records = env_.records, id = id(), done = std::move(done)](const commit_outcome& outcome) {
        if (outcome.conflict)
          return done(came_before());
        records.read_task(id, done);
      };
}

/// The target that the input names, for the answer to a cancel. Empty if it names none.
std::string task_actor::delegation_target_name() const {
  if (!plan_)
    return {};
  const auto& input = plan_->spec->tasks[task_index_].input;
  auto target = text_in(input, "target");
  return target.empty() ? text_in(input, "url") : target;
}

/// If the agent there has told of its own leaves, they stand in its place.
void task_actor::settle_cancel(report_canceled how) {
  if (!details_ || !details_->leaves)
    return;
  const auto leaves = std::exchange(details_->leaves, nullptr);
  if (how.leaves.empty())
    leaves->add(
        {cancel_entry(id().str(), delegation_target_name(), to_string(how.outcome), how.reason)});
  else
    leaves->add(entries_below(id().str(), std::move(how.leaves)));
}

void task_actor::leave() {
  settle_cancel({cancel_outcome::no_answer, {}, {}}); // if it said nothing
  run_.reset();
  give_slots_back();
  tell_stopped();
  self_->quit();
}

/// The plan gets back what it kept for the agent, after it has heard that the task has settled.
void task_actor::tell_stopped() {
  if (quit_after_stop_)
    env_.stopping_tasks.remove(id().str(), handle_of(self_));
  if (!std::exchange(keeps_place_, false) || !plan_)
    return;
  env_.records.commit({}, [plan = plan_->plan] { tell(plan, task_stopped{}); });
}

// -- what it is -----------------------------------------------------------------------------------

void task_actor::set_timer(task_timer::purpose kind, std::chrono::nanoseconds after) {
  const auto hop_max = kind == task_timer::purpose::grace ? std::clamp<std::chrono::nanoseconds>(
                           env_.options.cancel_grace, grace_hop_min, timer_hop_max)
                                                          : timer_hop_max;
  set_task_timer(handle_of(self_), kind, life_.attempt, after, hop_max);
}

/// A continuation that tells the plan how the task moves with `of`. Null for a lone task.
committed_fn task_actor::plan_told(const change& of, bool parked, bool backing_off) const {
  if (!plan_)
    return nullptr;
  const auto* moved = last_move(of); // Null if the task stays as it is: it tries again.
  return [plan = plan_, fact = task_waits{task_index_, parked, backing_off,
                                          moved ? std::optional{*moved} : std::nullopt,
                                          of.at}]() mutable { tell(plan->plan, std::move(fact)); };
}

const retry_policy& task_actor::retry() const {
  static constexpr retry_policy once{};
  return plan_ ? plan_->spec->tasks[task_index_].retry : once;
}

/// Of a lone task: the time to its deadline. Those of a plan's task are the plan's and the
/// objective's business.
milliseconds task_actor::timeout() const {
  if (plan_)
    return plan_->spec->tasks[task_index_].timeout;
  const auto due = own_deadline();
  return due ? std::max(*due - env_.now(), milliseconds{1}) : milliseconds{0};
}

std::optional<timestamp> task_actor::own_deadline() const {
  if (!plan_)
    return deadline_in(lone_->request->metadata);
  const auto& own =
      details_ && details_->due ? details_->due : plan_->spec->tasks[task_index_].deadline;
  return own && (!plan_->deadline || *own < *plan_->deadline) ? own : plan_->deadline;
}

/// Its first attempt begins. If its deadline counts from now on, the plan is told, because the plan
/// ends its tasks at their deadlines.
void task_actor::begin_deadline() {
  if (!plan_ || plan_->spec->tasks[task_index_].deadline_after.count() == 0)
    return;
  const auto& task = plan_->spec->tasks[task_index_];
  const timestamp due = env_.now() + task.deadline_after;
  details().due = task.deadline ? std::min(*task.deadline, due) : due;
  tell(plan_->plan,
       task_waits{task_index_, false, false,
                  task_moved{life_.status.state, life_.attempt, nullptr, life_.failures},
                  env_.now()});
}

restart_rule task_actor::restart() const {
  return plan_ ? agent_->on_restart_of(plan_->spec->tasks[task_index_].input)
               : agent_->on_restart();
}

task_actor::task_details& task_actor::details() {
  if (!details_)
    details_ = std::make_unique<task_details>();
  return *details_;
}

task_id task_actor::id() const {
  return lone_ ? lone_->id : renewed_id(plan_->spec->tasks[task_index_].id, generation_);
}

const std::string& task_actor::agent_name() const {
  return plan_ ? env_.agents.name_or_default(plan_->spec->tasks[task_index_].agent) : lone_->agent;
}

const throttle_handle& task_actor::objective_slots() const {
  static const throttle_handle none;
  return plan_ ? plan_->slots : none;
}

const std::string& task_actor::context() const {
  return plan_ ? plan_->context : lone_->context;
}

const std::string& task_actor::owner() const {
  return plan_ ? plan_->owner : lone_->owner;
}

} // namespace troupe
