#include "actors/feed/live_queue.hpp"

#include "protocol/artifact_chunks.hpp"
#include "protocol/change_size.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace troupe {

live_queue::live_queue(bounds limits, feed_budget_ptr budget)
    : limits_(limits), budget_(std::move(budget)) {}

live_queue::~live_queue() {
  forget_all();
}

void live_queue::forget_all() {
  budget_->give_back(bytes_ + missed_.size() * missed_part_bytes);
  entries_.clear();
  progress_.clear();
  missed_.clear();
  bytes_ = 0;
}

void live_queue::push(const change_ptr& next) {
  if (is_lost_)
    return;
  if (!missed_.empty()) {
    const auto behind = missed_.find(next->stream());
    if (behind != missed_.end()) {
      behind->second.part.through = next->sequence;
      return;
    }
  }
  const bool is_progress = is_only_progress(*next);
  if (is_progress)
    drop_progress_of(next->task.id.str());
  else if (limits_.joins_chunks
           && entries_.size() >= std::min(chunks_apart_max, limits_.changes_max) && join(*next))
    return;
  const auto bytes = bytes_of(*next);
  if (!has_room(bytes))
    return miss(*next);
  const auto place = entries_.insert(entries_.end(), {next, bytes, false});
  bytes_ += bytes;
  if (is_progress)
    progress_.insert_or_assign(next->task.id.str(), place);
}

/// Counts what is about to be kept; false if it is too much.
bool live_queue::has_room(std::size_t bytes) noexcept {
  if (entries_.empty()) {
    budget_->force(bytes);
    return true;
  }
  return entries_.size() < limits_.changes_max
         && bytes_ - entries_.front().bytes + bytes <= limits_.bytes_max
         && budget_->take_for_queue(bytes);
}

/// Adds a chunk to the one before it; false if it does not continue it, or there is no room.
bool live_queue::join(const change& next) {
  auto& before = entries_.back();
  if (before.bytes > joined_chunk_bytes_max || !continues_chunk(*before.held, next))
    return false;
  const auto more = bytes_of(*std::get<task_artifact>(next.events.front()).artifact);
  if (bytes_ - entries_.front().bytes + more > limits_.bytes_max || !budget_->take_for_queue(more))
    return false;
  if (!before.is_growing) {
    before.held = std::make_shared<change>(growing_chunk(*before.held));
    before.is_growing = true;
  }
  join_chunk(const_cast<change&>(*before.held), next);
  const auto now = bytes_of(*before.held);
  budget_->give_back(before.bytes + more
                     - now); // A text that goes on needs less than one of its own.
  bytes_ += now - before.bytes;
  before.bytes = now;
  return true;
}

void live_queue::miss(const change& next) {
  if (missed_.size() >= missed_parts_max) {
    forget_all();
    is_lost_ = true;
    return;
  }
  budget_->force(missed_part_bytes);
  auto& at = missed_[next.stream()];
  at.part = {next.stream(), !next.task.id.empty() && next.task.lone, next.sequence - 1,
             next.sequence};
  at.before = static_cast<std::size_t>(
      std::count_if(entries_.begin(), entries_.end(),
                    [&](const entry& each) { return each.held->stream() == next.stream(); }));
}

/// Takes out what an earlier report of the same task would still have said.
void live_queue::drop_progress_of(const std::string& task) {
  const auto found = progress_.find(task);
  if (found == progress_.end())
    return;
  remove(found->second);
  progress_.erase(found);
}

void live_queue::remove(std::list<entry>::iterator which) {
  budget_->give_back(which->bytes);
  bytes_ -= which->bytes;
  entries_.erase(which);
}

std::vector<change_ptr> live_queue::take(std::size_t bytes) {
  std::vector<change_ptr> out;
  std::size_t taken = 0;
  while (!entries_.empty() && (out.empty() || taken < bytes)) {
    auto& front = entries_.front();
    taken += front.bytes;
    if (!progress_.empty() && is_only_progress(*front.held))
      progress_.erase(front.held->task.id.str());
    if (!missed_.empty())
      if (const auto behind = missed_.find(front.held->stream()); behind != missed_.end())
        --behind->second.before;
    out.push_back(std::move(front.held));
    remove(entries_.begin());
  }
  return out;
}

std::optional<live_queue::missed_part> live_queue::missed() const {
  for (const auto& [stream, state] : missed_)
    if (state.before == 0)
      return state.part;
  return std::nullopt;
}

bool live_queue::resume(const std::string& stream, std::uint64_t through) {
  const auto found = missed_.find(stream);
  if (found == missed_.end())
    return true;
  found->second.part.after = through;
  if (found->second.part.through > through)
    return false;
  missed_.erase(found);
  budget_->give_back(missed_part_bytes);
  return true;
}

void live_queue::clear() {
  forget_all();
  is_lost_ = false;
}

} // namespace troupe
