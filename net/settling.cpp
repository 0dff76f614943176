#include "net/settling.hpp"

#include "store/apply.hpp"

#include <algorithm>

namespace troupe::net {

namespace {

/// Whether the task is settled once `what` is applied, or may be.
bool settles_task(const change& what) noexcept {
  if (what.task.id.empty())
    return withdraws_tasks(what);
  for (auto fact = what.events.rbegin(); fact != what.events.rend(); ++fact)
    if (const auto* moved = std::get_if<task_moved>(&*fact))
      return ends_waiting(moved->to);
  const auto* made = created_record(what);
  return made != nullptr && ends_waiting((*made)->status.state);
}

} // namespace

bool withdraws_tasks(const change& what) noexcept {
  return std::any_of(what.events.begin(), what.events.end(),
                     [](const event& fact) { return std::holds_alternative<tasks_withdrawn>(fact); });
}

void send_watcher::on_change(const change_ptr& what) {
  if (!settles_task(*what))
    return;
  if ((state_.fetch_or(settled, std::memory_order_acq_rel) & replied) != 0)
    reader_->notify();
}

void send_watcher::on_reply(result<sent> what) {
  const bool is_all = !what || what->answer; // no task, so no outcome to wait for
  reply_.emplace(std::move(what));
  const auto before = state_.fetch_or(replied, std::memory_order_acq_rel);
  if (is_all || !waits_ || (before & settled) != 0)
    reader_->notify();
}

void send_watch::on(const std::string& task) {
  const std::lock_guard lock{guard_};
  task_ = task;
  if (ended_)
    records_.unwatch(task_, who_);
}

void send_watch::end() {
  const std::lock_guard lock{guard_};
  ended_ = true;
  if (!task_.empty())
    records_.unwatch(task_, who_);
}

void settle_watcher::on_change(const change_ptr& what) {
  if (!settles_task(*what))
    return;
  settled_.store(true, std::memory_order_release);
  reader_->notify();
}

} // namespace troupe::net
