// The changes of its plan that an agent wants, and the tasks that it calls (report_change).
#include "actors/task/task_actor.hpp"
#include <troupe/actors/limits.hpp>

#include <utility>

namespace troupe {

void task_actor::want_change(report_change asked) {
  if (!plan_)
    return call_agent([&] {
      run_->on_changed({asked.key,
                        make_error(errc::unsupported_operation,
                                   "the task is of no plan, so that it can change none"),
                        {}});
    });
  auto& all = details().changes;
  if (all.has(asked.key))
    return; // its answer is on the way
  if (all.size() >= task_changes_max)
    return stop_agent(report_failed{"the agent wanted " + std::to_string(task_changes_max + 1)
                                        + " changes of its plan at once; the limit is "
                                        + std::to_string(task_changes_max),
                                    false});
  all.add(asked.key, asked.waits);
  if (asked.waits)
    begin_calling();
  tell(plan_->plan, change_wanted{task_index_, life_.attempt, std::move(asked)});
}

/// It waits for tasks that it has called: others may run meanwhile.
void task_actor::begin_calling() {
  if (std::exchange(details().is_calling, true))
    return;
  give_slots_back();
  tell_parked(true);
}

/// The plan hears of it after all that was committed before.
void task_actor::tell_parked(bool parked) {
  env_.records.commit({}, [plan = plan_, fact = task_waits{task_index_, parked && is_limited()}] {
    tell(plan->plan, task_waits{fact});
  });
}

/// It has an actor, does not run and holds no slot.
bool task_actor::is_parked() const {
  return (!run_ || (details_ && details_->is_calling)) && is_limited();
}

void task_actor::on(change_answered& fact) {
  if (fact.attempt != life_.attempt || life_.awaits_retry || !details_)
    return;
  details_->changes.on_answered(fact.key, std::move(fact.outcome));
  read_called();
  follow_changes();
}

void task_actor::on(called_task_ended& fact) {
  if (!details_)
    return;
  details_->changes.on_ended(fact.called, fact.state);
  read_called();
}

/// Reads what the called tasks have made that have ended.
void task_actor::read_called() {
  if (over() || is_stopping())
    return;
  for (const auto& called : details_->changes.unread())
    env_.records.read_task(
        called, [me = handle_of(self_), attempt = life_.attempt, called](result<task_ptr> record) {
          tell(me, called_task_read{attempt, called, std::move(record)});
        });
}

void task_actor::on(called_task_read& fact) {
  if (fact.attempt != life_.attempt || life_.awaits_retry || !details_)
    return;
  if (!fact.record && is_unreadable(fact.record.error()))
    return read_again_later(fact.record.error());
  details_->changes.on_read(fact.called, fact.record ? fact.record->get() : nullptr);
  follow_changes();
}

/// Once all has come that the agent waits for, it goes on: at once, or when it has a slot again.
void task_actor::follow_changes() {
  if (!run_ || over() || is_stopping() || details_->changes.are_calls_open())
    return;
  if (details_->is_calling)
    wait_for_slot(); // go_on follows
  else
    tell_changes();
}

/// It has a slot again.
void task_actor::end_calling() {
  if (details_->changes.are_calls_open()) { // it has called again while it waited for its slot
    give_slots_back();
    return tell_parked(true);
  }
  details_->is_calling = false;
  if (take(attempt_resumes{}))
    commit();
  tell_parked(false);
  tell_changes();
}

void task_actor::tell_changes() {
  for (const auto& each : details_->changes.take())
    if (run_ && !over() && !is_stopping())
      call_agent([&] { run_->on_changed(each); });
}

void task_actor::forget_changes() {
  if (!details_)
    return;
  details_->changes = {};
  details_->is_calling = false;
}

} // namespace troupe
