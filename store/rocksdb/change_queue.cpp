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
    return content.empty()
           || (bytes + more <= bounds.group_bytes && content.changes.size() < bounds.group_changes);
  }
  [[nodiscard]] std::size_t room(const limits& bounds) const {
    return bounds.group_bytes - std::min(bytes, bounds.group_bytes);
  }
  void add(submission&& each, std::size_t size) {
    content.changes.push_back(std::move(each));
    bytes += size;
  }
  /// `part` follows what was added of the same row.
  void add(submission& of, std::string_view part) {
    bytes += part.size();
    for (auto& each : content.parts)
      if (each.of == &of) {
        each.bytes = {each.bytes.data(), each.bytes.size() + part.size()};
        return;
      }
    content.parts.push_back({&of, part});
  }

  next_group content;
  std::size_t bytes = 0;
};

void change_queue::push(submission&& each) {
  arrived_bytes_ += bytes_of(each);
  arrived_.push_back(std::move(each));
  ++size_;
}

next_group change_queue::take() {
  if (!sections_.empty() || arrived_bytes_ > bounds_.group_bytes
      || arrived_.size() > bounds_.group_changes) {
    put_in_lanes();
    return take_in_turns();
  }
  size_ = 0;
  arrived_bytes_ = 0;
  return {{}, std::exchange(arrived_, std::exchange(spare_, {}))};
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
    const bool is_long =
        bounds_.has_parts && bytes > bounds_.group_bytes && each.row.size() > bounds_.turn_bytes;
    const auto parts = is_long ? each.row.size() - bounds_.turn_bytes : 0;
    at->second.changes.push_back(
        {std::move(each), bytes, first_section_ + sections_.size() - 1, parts});
  }
  arrived_.clear();
  arrived_bytes_ = 0;
}

/// Deficit round robin (Shreedhar and Varghese, 1995): a change that is larger than a turn waits
/// until enough turns have come, and a long one gives a part in each. What has more than a group
/// beside its row comes alone, and has no more turns in a group than there are turns of others.
next_group change_queue::take_in_turns() {
  ++groups_;
  group out{{{}, std::exchange(spare_, {})}, 0};
  bool has_room = take_markers(out);
  for (auto left = turns_.size(); has_room && !turns_.empty(); --left) {
    if (left == 0) { // Each lane had its turn.
      const auto can_give = [&](const auto* lane_at) {
        return may_go_on(lane_at->second.changes.front(), out);
      };
      if (std::ranges::none_of(turns_, can_give))
        break;
      left = turns_.size();
    }
    auto* const at = turns_.front();
    auto& from = at->second;
    const auto& next = from.changes.front();
    const auto turn = next.part_in != groups_ || next.parts_left > 0 ? bounds_.turn_bytes : 0;
    from.credit += turn;
    const auto bytes_before = out.bytes;
    has_room = take_from(from, out);
    if (!has_room && out.bytes == bytes_before) { // It has its turn first in the next group.
      from.credit -= turn;
      break;
    }
    turns_.pop_front();
    if (from.changes.empty())
      lanes_.erase(lanes_.find(at->first));
    else
      turns_.push_back(at);
  }
  size_ -= out.content.changes.size();
  return std::move(out.content);
}

bool change_queue::may_go_on(const waiting& next, const group& to) const {
  if (next.parts_left > 0)
    return true;
  return next.part_in != groups_ && (to.content.empty() || next.bytes <= bounds_.group_bytes);
}

bool change_queue::take_from(lane& from, group& to) {
  while (!from.changes.empty()) {
    auto& next = from.changes.front();
    if (next.parts_left > 0)
      return take_part(from, to);
    if (next.part_in == groups_ || next.bytes > from.credit)
      return true;
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

bool change_queue::take_part(lane& from, group& to) const {
  auto& next = from.changes.front();
  const auto wanted = std::min(from.credit, next.parts_left);
  const auto room = to.room(bounds_);
  if (room < std::min(wanted, bounds_.turn_bytes))
    return false; // No small parts.
  const auto size = std::min(wanted, room);
  const std::string_view row = next.change.row;
  to.add(next.change, row.substr(row.size() - next.parts_left, size));
  from.credit -= size;
  next.bytes -= size;
  next.parts_left -= size;
  next.part_in = groups_;
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
