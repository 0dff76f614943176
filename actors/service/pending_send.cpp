#include "actors/service/pending_send.hpp"

#include "actors/commands/placing.hpp"
#include "actors/feed/change_wait.hpp"

#include <utility>

namespace troupe {

void pending_send::on_change(const change_ptr& news) {
  if (waits_ && !may_end_waiting(*news))
    return;
  if ((state_.fetch_or(settled, std::memory_order_acq_rel) & replied) != 0)
    notify_();
}

void pending_send::on_reply(result<sent> outcome) {
  const bool is_all = !outcome || outcome->answer; // no task, so nothing to wait for
  reply_.emplace(std::move(outcome));
  const auto before = state_.fetch_or(replied, std::memory_order_acq_rel);
  if (is_all || !waits_ || (before & settled) != 0)
    notify_();
}

void pending_send::watch_on(const task_id& task) {
  const std::lock_guard lock{guard_};
  watched_ = task.str();
  if (ended_)
    records_.unwatch(watched_, shared_from_this());
}

void pending_send::end() {
  const std::lock_guard lock{guard_};
  ended_ = true;
  if (!watched_.empty())
    records_.unwatch(watched_, shared_from_this());
}

std::optional<result<send_result>> pending_send::poll(bool enough) {
  if (!has(replied))
    return std::nullopt;
  if (!*reply_)
    return result<send_result>(reply_->error());
  if ((*reply_)->answer)
    return result<send_result>(
        send_result{.task = nullptr, .objective = nullptr, .answer = (*reply_)->answer});
  const bool is_enough = enough || !waits_;
  for (;;) {
    if (!reading_) {
      held_back_ = held_back_ && may_hold_back_;
      const bool is_due = enough || (is_enough && !held_back_);
      if (!is_due && !has(settled))
        return std::nullopt;
      begin_reading();
    }
    if (!has(read))
      return std::nullopt;
    reading_ = false;
    held_back_ = !enough && may_hold_back_ && shows_answered();
    if (held_back_)
      continue;
    // An earlier question of the task may have been seen: believe the record.
    if (is_enough || !*record_ || ends_waiting((*record_)->task->status.state))
      return std::move(*record_);
  }
}

bool pending_send::shows_answered() const {
  const auto& before = (*reply_)->status_before;
  if (before == timestamp{} || !*record_)
    return false;
  const auto& now = (*record_)->task->status;
  return is_interrupted(now.state) && now.at == before;
}

/// Reads the task, and the objective it stands for.
void pending_send::begin_reading() {
  reading_ = true;
  record_.reset();
  state_.fetch_and(static_cast<std::uint8_t>(~(settled | read)), std::memory_order_acq_rel);
  state_.fetch_or(asking, std::memory_order_acq_rel);
  records_.read_task((*reply_)->task, [me = shared_from_this()](const result<task_ptr>& found) {
    me->on_task(found);
  });
  state_.fetch_and(static_cast<std::uint8_t>(~asking), std::memory_order_acq_rel);
}

void pending_send::on_task(const result<task_ptr>& found) {
  const auto& id = (*reply_)->task;
  if (!found || !*found)
    return on_read(found || is_not_found(found.error().code) ? unknown_of(id) : found.error());
  if (objective_.empty())
    return on_read(send_result{.task = *found, .objective = nullptr, .answer = nullptr});
  records_.read_objective(
      objective_, [me = shared_from_this(), record = *found](const result<objective_ptr>& whole) {
        if (!whole)
          return me->on_read(whole.error());
        me->on_read(send_result{.task = record, .objective = *whole, .answer = nullptr});
      });
}

void pending_send::on_read(result<send_result> outcome) {
  record_.emplace(std::move(outcome));
  // The reader is not notified while it asks: it sees the record itself.
  if ((state_.fetch_or(read, std::memory_order_acq_rel) & asking) == 0)
    notify_();
}

} // namespace troupe
