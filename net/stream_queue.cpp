#include "net/stream_queue.hpp"

#include <algorithm>
#include <utility>

namespace troupe::net {

namespace {

/// What a change costs before any text.
constexpr std::size_t change_bytes = 256;

} // namespace

std::size_t approximate_bytes(const change& what) noexcept {
  std::size_t sum = change_bytes;
  for (const auto& fact : what.events) {
    sum += sizeof(event);
    if (const auto* made = std::get_if<task_artifact>(&fact); made && made->what)
      sum += bytes_of(*made->what);
    else if (const auto* said = std::get_if<task_message>(&fact); said && said->what)
      sum += bytes_of(*said->what);
    else if (const auto* moved = std::get_if<task_moved>(&fact); moved && moved->message)
      sum += bytes_of(*moved->message);
    else if (const auto* progress = std::get_if<task_progress>(&fact); progress && progress->what)
      sum += progress->what->trackers.size() * change_bytes;
  }
  return sum;
}

bool is_only_progress(const change& what) noexcept {
  return !what.events.empty() && std::all_of(what.events.begin(), what.events.end(), [](const event& fact) {
    return std::holds_alternative<task_progress>(fact);
  });
}

void stream_queue::on_change(const change_ptr& what) {
  {
    const std::lock_guard guard(lock_);
    if (overflowed_)
      return;
    const bool is_progress = is_only_progress(*what);
    if (is_progress)
      drop_progress_of(what->task.id.str());
    const auto bytes = approximate_bytes(*what);
    // The oldest is not counted: what comes alone is kept however large, a body may be larger than all that may wait.
    const auto behind = entries_.empty() ? 0 : bytes_ - entries_.front().bytes + bytes;
    if (entries_.size() + 1 > events_max_ || behind > bytes_max_) {
      overflowed_ = true;
    } else {
      const auto place = entries_.insert(entries_.end(), {what, bytes});
      bytes_ += bytes;
      if (is_progress)
        progress_.insert_or_assign(what->task.id.str(), place);
    }
  }
  reader_->notify();
}

/// Takes out what an earlier report of the same task would still have said.
void stream_queue::drop_progress_of(const std::string& task) {
  const auto found = progress_.find(task);
  if (found == progress_.end())
    return;
  bytes_ -= found->second->bytes;
  entries_.erase(found->second);
  progress_.erase(found);
}

stream_queue::batch stream_queue::take() {
  std::list<entry> taken; // Freed when the lock is not held any more.
  batch out;
  {
    const std::lock_guard guard(lock_);
    taken.swap(entries_);
    progress_.clear();
    bytes_ = 0;
    out.overflowed = overflowed_;
  }
  out.changes.reserve(taken.size());
  for (auto& one : taken)
    out.changes.push_back(std::move(one.what));
  return out;
}

std::size_t stream_queue::size() const {
  const std::lock_guard guard(lock_);
  return entries_.size();
}

} // namespace troupe::net
