#include "actors/task_actor.hpp"

#include <algorithm>
#include <cmath>

#include "actors/limits.hpp"
#include "protocol/text.hpp"

namespace troupe {

namespace {

void set_task_timer(const task_handle& who, task_timer::purpose kind, std::uint32_t attempt, std::chrono::nanoseconds after,
                    std::chrono::nanoseconds hop_max = timer_hop_max) {
  const auto hop = std::min(after, hop_max);
  tell_after(hop, who, task_timer{kind, attempt, after - hop});
}

/// The way back from an agent to its task: mail to the actor, marked with the attempt it belongs to.
class task_port final : public agent_port {
public:
  task_port(task_handle to, std::uint32_t attempt) : to_(std::move(to)), attempt_(attempt) {}

  void report(agent_report what) override { tell(to_, agent_reported{attempt_, std::move(what)}); }
  void wake_after(std::chrono::nanoseconds delay) override {
    set_task_timer(to_, task_timer::purpose::wake, attempt_, delay);
  }

private:
  task_handle to_;
  std::uint32_t attempt_;
};

std::string seconds_text(std::chrono::milliseconds span) {
  auto text = std::to_string(static_cast<double>(span.count()) / 1000.0);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.')
    text.pop_back();
  return text + " s";
}

// Exponential, capped, with the policy's share drawn at random.
std::chrono::milliseconds backoff_after(const retry_policy& policy, std::uint32_t failures, std::uint64_t random) {
  const auto doubled = static_cast<double>(policy.backoff.count()) * std::exp2(std::min(failures - 1, 40u));
  const auto capped = std::min(doubled, static_cast<double>(policy.backoff_max.count()));
  const auto share = static_cast<double>(random >> 11) * 0x1.0p-53;
  return std::chrono::milliseconds{static_cast<std::int64_t>(capped * (1.0 - policy.jitter * share))};
}

} // namespace

task_actor::task_actor(actor_pointer<handle> self, environment& env, task_start start)
    : self_(self), env_(env), scope_(std::move(start.scope)), agent_(env.agents.find(start.agent).get()),
      task_index_(start.task_index), attempt_(start.attempts), generation_(start.generation),
      state_(start.exists && start.attempts > 0 ? task_state::working : task_state::submitted), created_(start.exists) {
  env_.live_tasks.fetch_add(1, std::memory_order_relaxed);
  if (!start.dependencies.empty())
    rest().dependencies = std::move(start.dependencies);
  if (!scope_)
    lone_ = std::make_unique<conversation>(conversation{
        std::move(start.id), std::move(start.context), std::move(start.owner), std::move(start.request), std::move(start.request_metadata),
        std::move(start.accepted_output_modes), std::move(start.traceparent), std::move(start.follow), std::move(start.done)});
  if (lone_)
    env_.live_bytes += told_bytes();
}

task_actor::~task_actor() {
  env_.live_tasks.fetch_sub(1, std::memory_order_relaxed);
  env_.live_bytes -= told_bytes();
  if (env_.stopping)
    return;
  release();
  if (!over())
    conclude(task_event::fail, "the task's actor died");
}

void task_actor::on(agent_reported& what) {
  if (what.attempt == attempt_ && !between_attempts_)
    on_report(std::move(what.what));
}

void task_actor::on(task_timer& what) {
  if (what.attempt != attempt_)
    return;
  // A gateway that ends waits for its actors, and so for an agent that is to stop; but no longer than it would for any other agent.
  const bool is_let_go = what.kind == task_timer::purpose::grace && env_.stopping;
  if (what.left.count() > 0 && !is_let_go)
    set_timer(what.kind, what.left);
  else
    on_timer(what);
}

void task_actor::on(begin_committed& what) {
  if (what.attempt == attempt_ && !over() && !is_stopping())
    start_agent();
}

void task_actor::on(slot_granted& what) {
  if (what.ticket == objective_slot_ || what.ticket == agent_slot_)
    want_slots();
}

// -- attempts ------------------------------------------------------------------------------------------------------------

void task_actor::begin() {
  if (lone_ && created_)
    env_.wait_until_entered();
  if (created_)
    recall();
  if (agent_ && between_attempts_) // whose wait the end of the process cut short: it begins anew
    return wait_for_retry(backoff_after(retry(), failures_, thread_id_source().next_random()));
  if (agent_ && created_ && attempt_ > 0 && restart() == restart_rule::fail)
    return finish(task_event::fail, "the process ended while the task ran, and its agent must not do it twice");
  if (agent_)
    return want_slots();
  finish(task_event::fail, "no agent is named \"" + agent_name() + "\"; there are: " + listed_names(env_.agents.names()));
}

// A lone task that has to wait for its turn is there all the same: SUBMITTED, and can be looked at, told more and canceled.
void task_actor::announce() {
  if (!lone_ || created_)
    return;
  env_.lone_tasks.put(lone_->id.str(), handle_of(self_));
  ensure_created();
  commit();
}

// First the objective's slot, then the agent's; each is asked for once and granted by mail.
void task_actor::want_slots() {
  if (over() || is_stopping())
    return;
  const auto want = [&](const throttle_handle& from, slot_ticket& ticket) {
    ticket = ++env_.last_ticket;
    tell(from, want_slot{ticket, context(), handle_of(self_)});
    announce();
  };
  if (scope_ && scope_->slots && objective_slot_ == 0)
    return want(scope_->slots, objective_slot_);
  if (agent_slot_ == 0 && !env_.agent_slots.empty()) {
    const auto it = env_.agent_slots.find(agent_name());
    if (it != env_.agent_slots.end())
      return want(it->second, agent_slot_);
  }
  begin_attempt();
}

void task_actor::begin_attempt() {
  ++attempt_;
  between_attempts_ = false;
  timeouts_set_ = 0; // those that still run are of an earlier attempt
  if (rest_ && rest_->progress) {
    rest_->progress->begin_attempt();
    rest_->progress_timer = false; // the one that runs is of an earlier attempt
  }
  ensure_created();
  if (!move(task_event::start, nullptr))
    return;
  if (restart() != restart_rule::fail)
    return start_agent();
  if (lone_)
    env_.lone_tasks.put(lone_->id.str(), handle_of(self_));
  commit([me = handle_of(self_), attempt = attempt_] { tell(me, begin_committed{attempt}); });
}

void task_actor::start_agent() {
  call_agent([&] {
    auto what = make_order();
    if (!what)
      return fail(report_failed{what.error().message, false});
    on_started(agent_->start(*what, std::make_shared<task_port>(handle_of(self_), attempt_)));
  });
}

void task_actor::call_agent(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& e) {
    fail(report_failed{std::string{"the agent threw: "} + e.what(), true});
  } catch (...) {
    fail(report_failed{"the agent threw something that is no std::exception", true});
  }
}

void task_actor::on_started(start_result what) {
  struct visitor {
    task_actor& me;
    void operator()(report_completed& done) const { me.complete(std::move(done)); }
    void operator()(report_failed& done) const { me.fail(std::move(done)); }
    void operator()(report_rejected& done) const { me.reject(std::move(done)); }
    void operator()(report_question& question) const { me.ask(question); }
    void operator()(report_reply& answer) const { me.reply(std::move(answer)); }
    void operator()(agent_run_ptr& run) const {
      me.run_ = std::move(run);
      if (me.lone_)
        me.env_.lone_tasks.put(me.lone_->id.str(), handle_of(me.self_));
      me.commit();
      me.begin_time();
    }
  };
  std::visit(visitor{*this}, what);
}

/// The attempt has the whole of its time from now on: when its agent runs, and with each answer.
void task_actor::begin_time() {
  const auto timeout = scope_ ? scope_->spec->tasks[task_index_].timeout : milliseconds{0};
  if (timeout.count() == 0)
    return;
  ++timeouts_set_;
  set_timer(task_timer::purpose::timeout, timeout);
}

// -- what comes in -------------------------------------------------------------------------------------------------------

void task_actor::on_report(agent_report what) {
  const bool ends = std::holds_alternative<report_completed>(what) || std::holds_alternative<report_failed>(what)
                    || std::holds_alternative<report_rejected>(what);
  if (is_stopping() || over()) {
    if (ends)
      after_stop();
    return;
  }
  struct visitor {
    task_actor& me;
    void operator()(report_progress& it) const { me.add_progress(std::move(it.report)); }
    void operator()(report_artifact& it) const {
      me.add_artifact(std::move(it));
      me.commit();
    }
    void operator()(report_message& it) const {
      if (it.what.message_id.empty())
        it.what.message_id = thread_id_source().next("msg");
      it.what.task_id = me.id().str();
      it.what.context_id = me.context();
      me.pending_.push_back(task_message{std::make_shared<const message>(std::move(it.what))});
      me.commit();
    }
    void operator()(report_question& it) const { me.ask(it); }
    void operator()(report_completed& it) const { me.complete(std::move(it)); }
    void operator()(report_failed& it) const { me.fail(std::move(it)); }
    void operator()(report_rejected& it) const { me.reject(std::move(it)); }
  };
  std::visit(visitor{*this}, what);
}

void task_actor::on_timer(const task_timer& what) {
  switch (what.kind) {
  case task_timer::purpose::wake:
    if (run_ && !is_stopping() && !over())
      call_agent([&] { run_->on_wake(); });
    return;
  case task_timer::purpose::retry:
    if (!over() && !is_stopping())
      want_slots(); // it has them unless it waited in an earlier process
    return;
  case task_timer::purpose::timeout:
    if (--timeouts_set_ > 0 || over() || is_stopping() || between_attempts_)
      return;
    if (!is_interrupted(state_)) // a person may take their time; the answer begins it anew
      stop_agent(report_failed{"timed out after " + seconds_text(scope_->spec->tasks[task_index_].timeout), true});
    return;
  case task_timer::purpose::grace:
    if (is_stopping() || over())
      after_stop();
    return;
  case task_timer::purpose::progress:
    rest().progress_timer = false;
    if (!over())
      flush_progress();
    return;
  }
}

void task_actor::cancel(const cancel_run& what) {
  if (over())
    return; // whoever asked hears of it when the message is dropped
  bool stopped = true;
  if (run_ && !is_stopping())
    stopped = stop_run();
  else if (is_stopping())
    stopped = false; // it was told already
  quit_after_stop_ = !stopped;
  if (what.done)
    rest().canceled = what.done;
  finish(task_event::cancel, what.reason, what.metadata);
  if (!stopped)
    begin_grace();
}

// -- how an attempt ends -------------------------------------------------------------------------------------------------

void task_actor::complete(report_completed what) {
  note_progress();
  for (auto& one : what.artifacts)
    add_artifact({std::move(one), false, true});
  finish(task_event::complete, what.message);
}

void task_actor::reject(report_rejected what) {
  finish(task_event::reject, what.reason);
}

// While nothing of a lone task is committed nobody knows of it: then the message is all there is, and the facts of this turn are dropped.
void task_actor::reply(report_reply what) {
  if (!lone_ || !lone_->done) {
    artifact out;
    out.name = "reply";
    out.parts = std::move(what.what.parts);
    return complete(report_completed{{std::move(out)}, {}});
  }
  static_cast<void>(move(task_event::complete, nullptr));
  pending_.clear();
  if (what.what.message_id.empty())
    what.what.message_id = thread_id_source().next("msg");
  what.what.from = role::agent;
  what.what.task_id.clear();
  what.what.context_id = lone_->context;
  lone_->done(sent{lone_->id, lone_->context, false, std::make_shared<const message>(std::move(what.what))});
  release();
  self_->quit();
}

// Either the last word, or a wait and then the next attempt; the failed attempt is a fact of its own.
void task_actor::fail(report_failed what) {
  run_.reset();
  if (rest_)
    rest_->questions.clear();
  note_progress();
  ++failures_;
  if (!what.retry || failures_ >= retry().attempts_max) {
    if (retry().attempts_max > 1 && what.retry)
      what.reason += " (attempt " + std::to_string(failures_) + " of " + std::to_string(retry().attempts_max) + ")";
    return finish(task_event::fail, what.reason);
  }
  between_attempts_ = true;
  const auto wait = backoff_after(retry(), failures_, thread_id_source().next_random());
  const auto text = "attempt " + std::to_string(failures_) + " of " + std::to_string(retry().attempts_max)
                    + " failed: " + what.reason + "; the next one in " + seconds_text(wait);
  const bool was_waiting = is_interrupted(state_);
  if (!move(task_event::start, status_message(text)))
    return;
  if (lone_)
    env_.lone_tasks.put(lone_->id.str(), handle_of(self_));
  commit(was_waiting ? plan_told(false) : nullptr);
  wait_for_retry(wait);
}

void task_actor::wait_for_retry(std::chrono::milliseconds wait) {
  set_timer(task_timer::purpose::retry, std::chrono::duration_cast<std::chrono::nanoseconds>(wait));
}

void task_actor::stop_agent(report_failed because) {
  if (!run_ || stop_run())
    return fail(std::move(because));
  rest().stopping = std::move(because);
  begin_grace();
}

/// Tells the agent to stop; true if nothing more is to come of it. If it throws, there is not.
bool task_actor::stop_run() {
  try {
    return run_->on_cancel();
  } catch (...) {
    return true;
  }
}

void task_actor::begin_grace() {
  set_timer(task_timer::purpose::grace, std::max<std::chrono::nanoseconds>(env_.options.cancel_grace, run_->cancel_grace_min()));
}

// The agent has stopped, or had its time to.
void task_actor::after_stop() {
  run_.reset();
  if (over()) {
    release();
    self_->quit();
  } else if (is_stopping()) {
    auto because = std::move(*rest_->stopping);
    rest_->stopping.reset();
    fail(std::move(because));
  }
}

void task_actor::finish(task_event on, const std::string& text, const boost::json::object& metadata) {
  conclude(on, text, metadata);
  if (quit_after_stop_)
    return;
  run_.reset();
  release();
  self_->quit();
}

// The terminal fact; then, once it is committed, the plan hears of it.
void task_actor::conclude(task_event on, const std::string& text, const boost::json::object& metadata) {
  ensure_created();
  note_progress();
  if (!move(on, text.empty() ? nullptr : status_message(text, metadata)))
    return;
  if (scope_) {
    const auto& reason = state_ == task_state::completed ? std::string{} : text;
    commit([scope = scope_, fact = task_settled{task_index_, state_, has_artifacts_, reason},
            canceled = answer_to_cancel()]() mutable {
      tell(scope->plan, std::move(fact));
      if (canceled)
        canceled();
    });
  } else {
    commit(answer_to_cancel());
  }
  if (lone_)
    env_.lone_tasks.remove(lone_->id.str(), handle_of(self_));
}

/// Null if nobody asked.
committed_fn task_actor::answer_to_cancel() {
  if (!rest_ || !rest_->canceled)
    return nullptr;
  return [&records = env_.records, id = id(), done = std::exchange(rest_->canceled, {})] { done(records.find_task(id)); };
}

void task_actor::release() {
  if (const auto ticket = std::exchange(objective_slot_, 0))
    tell(scope_->slots, return_slot{ticket});
  if (const auto ticket = std::exchange(agent_slot_, 0))
    tell(env_.agent_slots.at(agent_name()), return_slot{ticket});
}

// -- what it is --------------------------------------------------------------------------------------------------------

void task_actor::set_timer(task_timer::purpose kind, std::chrono::nanoseconds after) {
  const auto hop_max = kind == task_timer::purpose::grace
                           ? std::clamp<std::chrono::nanoseconds>(env_.options.cancel_grace, grace_hop_min, timer_hop_max)
                           : timer_hop_max;
  set_task_timer(handle_of(self_), kind, attempt_, after, hop_max);
}

/// Tells the plan once what it is told of is committed. Null for a lone task.
committed_fn task_actor::plan_told(bool waiting) const {
  if (!scope_)
    return nullptr;
  return [scope = scope_, fact = task_waits{task_index_, waiting}]() mutable { tell(scope->plan, std::move(fact)); };
}

const retry_policy& task_actor::retry() const {
  static constexpr retry_policy once{};
  return scope_ ? scope_->spec->tasks[task_index_].retry : once;
}

restart_rule task_actor::restart() const {
  return scope_ ? agent_->on_restart_of(scope_->spec->tasks[task_index_].input) : agent_->on_restart();
}

task_actor::occasional& task_actor::rest() {
  if (!rest_)
    rest_ = std::make_unique<occasional>();
  return *rest_;
}

task_id task_actor::id() const {
  return lone_ ? lone_->id : renewed_id(scope_->spec->tasks[task_index_].id, generation_);
}

const std::string& task_actor::agent_name() const {
  return scope_ ? env_.agents.name_or_default(scope_->spec->tasks[task_index_].agent) : env_.agents.default_agent;
}

const std::string& task_actor::context() const {
  return scope_ ? scope_->context : lone_->context;
}

const std::string& task_actor::owner() const {
  return scope_ ? scope_->owner : lone_->owner;
}

} // namespace troupe
