#include "actors/slot_pool.hpp"

namespace troupe {

void slot_pool::request(slot_ticket ticket, const std::string& owner) {
  const auto [entry, fresh] = tickets_.emplace(ticket, nullptr);
  if (!fresh)
    return;
  ++waiting_;
  const auto [at, is_new] = lines_.try_emplace(owner);
  if (is_new)
    at->second.turn = turn_.insert(turn_.end(), &*at);
  at->second.tickets.insert(ticket);
  entry->second = &*at;
}

std::optional<slot_ticket> slot_pool::next() {
  if (free_ == 0 || turn_.empty())
    return std::nullopt;
  auto* const owner = turn_.front();
  const auto ticket = *owner->second.tickets.begin();
  turn_.splice(turn_.end(), turn_, turn_.begin());
  leave(owner, ticket);
  tickets_[ticket] = nullptr;
  --free_;
  return ticket;
}

void slot_pool::give_back(slot_ticket ticket) {
  const auto entry = tickets_.find(ticket);
  if (entry == tickets_.end())
    return;
  if (entry->second == nullptr)
    ++free_;
  else
    leave(entry->second, ticket);
  tickets_.erase(entry);
}

void slot_pool::leave(owner_line* owner, slot_ticket ticket) {
  --waiting_;
  owner->second.tickets.erase(ticket);
  if (!owner->second.tickets.empty())
    return;
  turn_.erase(owner->second.turn);
  lines_.erase(lines_.find(owner->first));
}

} // namespace troupe
