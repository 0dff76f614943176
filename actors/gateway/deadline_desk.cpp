#include "actors/gateway/deadline_desk.hpp"

#include <vector>

namespace troupe {

// Handles are released without the lock: one may be the last of its actor, and an actor that is
// destroyed calls the desk.

void deadline_desk::put(const task_handle& task, purpose kind, std::uint32_t attempt,
                        timestamp due) {
  put({task.id(), kind}, due, [task, kind, attempt] { tell(task, task_timer{kind, attempt}); });
}

void deadline_desk::put(const objective_handle& objective, timestamp due) {
  put({objective.id(), std::nullopt}, due, [objective] { tell(objective, objective_deadline{}); });
}

void deadline_desk::put(const plan_handle& plan, timestamp due) {
  put({plan.id(), std::nullopt}, due, [plan] { tell(plan, plan_deadline{}); });
}

void deadline_desk::erase(caf::actor_id task, purpose kind) {
  erase({task, kind});
}

void deadline_desk::erase(caf::actor_id objective_or_plan) {
  erase({objective_or_plan, std::nullopt});
}

void deadline_desk::put(const key& which, timestamp due, sender send) {
  const std::lock_guard lock{guard_};
  if (closed_)
    return;
  times_.put(which, due);
  senders_[which].swap(send);
}

void deadline_desk::erase(const key& which) {
  std::map<key, sender>::node_type gone;
  const std::lock_guard lock{guard_};
  times_.erase(which);
  gone = senders_.extract(which);
}

void deadline_desk::turn(timestamp now) {
  std::vector<sender> due;
  {
    const std::lock_guard lock{guard_};
    while (const auto which = times_.take_due(now))
      due.push_back(std::move(senders_.extract(*which).mapped()));
  }
  for (const auto& send : due)
    send();
}

std::optional<timestamp> deadline_desk::next_due() const {
  const std::lock_guard lock{guard_};
  return times_.next_due();
}

std::size_t deadline_desk::size() const {
  const std::lock_guard lock{guard_};
  return times_.size();
}

void deadline_desk::close() {
  std::map<key, sender> gone;
  const std::lock_guard lock{guard_};
  closed_ = true;
  times_ = {};
  gone.swap(senders_);
}

} // namespace troupe
