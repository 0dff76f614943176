#include "actors/deadline_desk.hpp"

#include <vector>

namespace troupe {

// Handles are released without the lock: one may be the last of its actor, and an actor that is
// destroyed calls the desk.

void deadline_desk::put(const task_handle& task, purpose kind, std::uint32_t attempt,
                        timestamp due) {
  const std::lock_guard lock{guard_};
  if (closed_)
    return;
  const key which{task.id(), kind};
  times_.put(which, due);
  tasks_.insert_or_assign(which, entry{task, attempt});
}

void deadline_desk::erase(caf::actor_id task, purpose kind) {
  const key which{task, kind};
  std::map<key, entry>::node_type gone;
  const std::lock_guard lock{guard_};
  times_.erase(which);
  gone = tasks_.extract(which);
}

void deadline_desk::turn(timestamp now) {
  std::vector<std::pair<entry, purpose>> due;
  {
    const std::lock_guard lock{guard_};
    while (const auto which = times_.take_due(now))
      due.emplace_back(std::move(tasks_.extract(*which).mapped()), which->second);
  }
  for (auto& [to, kind] : due)
    tell(to.task, task_timer{kind, to.attempt});
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
  std::map<key, entry> gone;
  const std::lock_guard lock{guard_};
  closed_ = true;
  times_ = {};
  gone.swap(tasks_);
}

} // namespace troupe
