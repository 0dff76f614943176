#include "net/push_delivery.hpp"

#include "net/settling.hpp"

#include <utility>

namespace troupe::net {

void push_inbox::connect(std::function<void()> wake) {
  const std::lock_guard lock{guard_};
  wake_ = std::move(wake);
  if (waiting_.overflowed || !waiting_.changes.empty())
    wake_();
}

void push_inbox::on_change(const change_ptr& what) {
  const std::lock_guard lock{guard_};
  if (waiting_.overflowed)
    return;
  if (waiting_.changes.size() >= changes_max_) {
    waiting_ = {.changes = {}, .overflowed = true}; // Somebody was woken for the first.
    return;
  }
  waiting_.changes.push_back(what);
  if (waiting_.changes.size() == 1 && wake_)
    wake_();
}

push_inbox::batch push_inbox::take() {
  const std::lock_guard lock{guard_};
  return std::exchange(waiting_, {});
}

push_delivery::push_delivery(store& records, push_row row, push_watch watched)
  : records_(records),
    row_(std::move(row)),
    inbox_(std::move(watched.inbox)),
    feed_(row_.config.task, row_.config.payload, row_.progress),
    snapshot_(std::move(watched.snapshot)) {
  if (snapshot_.record)
    begin();
}

push_delivery::~push_delivery() { records_.unwatch(row_.config.task.str(), inbox_); }

result<push_delivery::readiness> push_delivery::fill() {
  for (;;) {
    if (!feed_.empty())
      return readiness::ready;
    if (feed_.has_ended())
      return readiness::ended;
    switch (phase_) {
      case phase::detached:
        if (!attach())
          return readiness::ended;
        break;
      case phase::behind:
        if (const auto read = catch_up(); !read)
          return read.error();
        break;
      case phase::live:
        if (!take_news())
          return readiness::waiting;
        break;
    }
  }
}

bool push_delivery::attach() {
  static_cast<void>(inbox_->take()); // Older than the snapshot, or in the journal.
  snapshot_ = records_.snapshot_task(row_.config.task, inbox_);
  if (!snapshot_.record)
    return false;
  begin();
  return true;
}

void push_delivery::begin() {
  feed_.reset(row_.progress);
  read_ = feed_.reads_after();
  phase_ = phase::behind;
  const bool up_to_date = row_.progress.after >= snapshot_.sequence;
  if (row_.progress.snapshot_first || up_to_date) {
    feed_.start_at(snapshot_.record, snapshot_.sequence, row_.progress.snapshot_first);
    phase_ = phase::live;
    snapshot_ = {};
  }
}

result<void> push_delivery::catch_up() {
  const auto page = records_.read_changes(row_.config.task, {.after = read_, .through = snapshot_.sequence});
  if (!page)
    return page.error();
  if (page->gone) { // No journal: the task as it is, in place of how it came there.
    feed_.start_at(snapshot_.record, snapshot_.sequence, true);
    phase_ = phase::live;
    snapshot_ = {};
    return {};
  }
  for (const auto& each : page->changes)
    take(*each);
  read_ = page->next_after;
  if (page->more)
    return {};
  feed_.pass(snapshot_.sequence);
  // An ended task whose journal has no end is not expected: then at least its last state is told.
  if (snapshot_.sequence == sequence_end && !feed_.has_ended())
    feed_.start_at(snapshot_.record, snapshot_.sequence, true);
  phase_ = phase::live;
  snapshot_ = {};
  return {};
}

bool push_delivery::take_news() {
  const auto news = inbox_->take();
  if (news.overflowed) {
    phase_ = phase::detached;
    return true;
  }
  for (const auto& each : news.changes)
    take(*each);
  return !news.changes.empty();
}

void push_delivery::take(const change& what) {
  task_ptr withdrawn;
  if (what.task.id.empty() && withdraws_tasks(what)) {
    withdrawn = records_.find_task(row_.config.task);
    if (withdrawn && !is_terminal(withdrawn->status.state))
      withdrawn = nullptr;
  }
  feed_.take(what, withdrawn);
}

void push_delivery::pop() {
  row_.progress.after = feed_.front().after;
  row_.progress.events = feed_.front().events;
  row_.progress.snapshot_first = false;
  feed_.pop();
}

} // namespace troupe::net
