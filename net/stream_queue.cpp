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
    if (is_only_progress(*what))
      merge_progress(what);
    const auto bytes = approximate_bytes(*what);
    if (events_ + 1 > events_max_ || bytes_ + bytes > bytes_max_) {
      overflowed_ = true;
    } else {
      entries_.push_back({what, bytes});
      ++events_;
      bytes_ += bytes;
    }
  }
  reader_->notify();
}

/// Takes out what an earlier report of the same task would still have said, and remembers the place of `what`.
void stream_queue::merge_progress(const change_ptr& what) {
  const auto next = first_ + entries_.size();
  const auto [found, added] = progress_.try_emplace(what->task.id.str(), next);
  if (added)
    return;
  if (found->second >= first_) {
    auto& old = entries_[static_cast<std::size_t>(found->second - first_)];
    bytes_ -= old.bytes;
    --events_;
    old = {};
  }
  found->second = next;
}

stream_queue::batch stream_queue::take() {
  batch out;
  const std::lock_guard guard(lock_);
  out.changes.reserve(events_);
  for (auto& one : entries_)
    if (one.what)
      out.changes.push_back(std::move(one.what));
  first_ += entries_.size();
  entries_.clear();
  progress_.clear();
  events_ = bytes_ = 0;
  out.overflowed = overflowed_;
  return out;
}

} // namespace troupe::net
