#include "actors/slot_pool.hpp"

namespace troupe {

void slot_pool::request(slot_ticket ticket, const std::string& owner) {
  if (!tickets_.emplace(ticket, phase::waiting).second)
    return;
  ++waiting_;
  auto& queue = queues_[owner];
  if (queue.empty())
    turn_.push_back(owner);
  queue.push_back(ticket);
}

std::optional<slot_ticket> slot_pool::next() {
  while (free_ > 0 && !turn_.empty()) {
    auto owner = std::move(turn_.front());
    turn_.pop_front();
    const auto at = queues_.find(owner);
    auto& queue = at->second;
    const auto ticket = queue.front();
    queue.pop_front();
    if (queue.empty())
      queues_.erase(at);
    else
      turn_.push_back(std::move(owner));
    const auto entry = tickets_.find(ticket);
    if (entry == tickets_.end())
      continue; // gave up while it waited
    entry->second = phase::holding;
    --waiting_;
    --free_;
    return ticket;
  }
  return std::nullopt;
}

void slot_pool::give_back(slot_ticket ticket) {
  const auto entry = tickets_.find(ticket);
  if (entry == tickets_.end())
    return;
  if (entry->second == phase::holding)
    ++free_;
  else
    --waiting_;
  tickets_.erase(entry);
}

} // namespace troupe
