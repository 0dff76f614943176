#include "store/rocksdb/change_queue.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

/// In its group of the journal, about.
std::size_t bytes_of(const submission& of) {
  auto out = of.row.size();
  for (const auto& each : of.submitted.conditions)
    out += each->key.size() + each->answer.size();
  return out;
}

} // namespace

struct change_queue::group {
  [[nodiscard]] bool has_room(std::size_t more, const limits& bounds) const {
    return changes.empty()
           || (bytes + more <= bounds.group_bytes && changes.size() < bounds.group_changes);
  }
  void add(submission&& each, std::size_t size) {
    changes.push_back(std::move(each));
    bytes += size;
  }

  std::vector<submission> changes;
  std::size_t bytes = 0;
};

void change_queue::push(submission&& each) {
  arrived_bytes_ += bytes_of(each);
  arrived_.push_back(std::move(each));
  ++size_;
}

std::vector<submission> change_queue::take() {
  if (!sections_.empty() || arrived_bytes_ > bounds_.group_bytes
      || arrived_.size() > bounds_.group_changes) {
    put_in_lanes();
    return take_in_turns();
  }
  size_ = 0;
  arrived_bytes_ = 0;
  return std::exchange(arrived_, std::exchange(spare_, {}));
}

void change_queue::put_in_lanes() {
  for (auto& each : arrived_) {
    if (sections_.empty())
      sections_.emplace_back();
    if (is_empty(each.submitted)) {
      sections_.back().markers.push_back(std::move(each));
      continue;
    }
    if (!sections_.back().markers.empty())
      sections_.emplace_back();
    const auto [at, is_new] = lanes_.try_emplace(each.submitted.context);
    if (is_new)
      turns_.push_back(&*at);
    ++sections_.back().left;
    const auto bytes = bytes_of(each);
    at->second.changes.push_back({std::move(each), bytes, first_section_ + sections_.size() - 1});
  }
  arrived_.clear();
  arrived_bytes_ = 0;
}

/// Deficit round robin (Shreedhar and Varghese, 1995): a change that is larger than a turn waits
/// until enough turns have come. One that fits no group with others comes alone, and has no more
/// turns in a group than there are turns of others.
std::vector<submission> change_queue::take_in_turns() {
  group out{std::exchange(spare_, {}), 0};
  bool has_room = take_markers(out);
  for (auto left = turns_.size(); has_room && !turns_.empty(); --left) {
    if (left == 0) { // Each lane had its turn.
      const auto fits = [this](const auto* lane_at) {
        return lane_at->second.changes.front().bytes <= bounds_.group_bytes;
      };
      if (!out.changes.empty() && std::ranges::none_of(turns_, fits))
        break;
      left = turns_.size();
    }
    auto* const at = turns_.front();
    auto& from = at->second;
    from.credit += bounds_.turn_bytes;
    const auto taken_before = out.changes.size();
    has_room = take_from(from, out);
    if (!has_room && out.changes.size() == taken_before)
      break; // Its next change is the first one of the next group.
    turns_.pop_front();
    if (from.changes.empty())
      lanes_.erase(lanes_.find(at->first));
    else
      turns_.push_back(at);
  }
  size_ -= out.changes.size();
  return std::move(out.changes);
}

bool change_queue::take_from(lane& from, group& to) {
  while (!from.changes.empty() && from.changes.front().bytes <= from.credit) {
    auto& next = from.changes.front();
    if (!to.has_room(next.bytes, bounds_))
      return false;
    from.credit -= next.bytes;
    --sections_[next.section - first_section_].left;
    to.add(std::move(next.change), next.bytes);
    from.changes.pop_front();
    if (!take_markers(to))
      return false;
  }
  return true;
}

bool change_queue::take_markers(group& to) {
  while (!sections_.empty() && sections_.front().left == 0) {
    for (auto& markers = sections_.front().markers; !markers.empty(); markers.pop_front()) {
      const auto bytes = bytes_of(markers.front());
      if (!to.has_room(bytes, bounds_))
        return false;
      to.add(std::move(markers.front()), bytes);
    }
    sections_.pop_front();
    ++first_section_;
  }
  return true;
}

void change_queue::for_each(const std::function<void(submission&)>& look) {
  for (auto& each : sections_)
    for (auto& marker : each.markers)
      look(marker);
  for (auto& [context, of] : lanes_)
    for (auto& each : of.changes)
      look(each.change);
  for (auto& each : arrived_)
    look(each);
}

} // namespace troupe
