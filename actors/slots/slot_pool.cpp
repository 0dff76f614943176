#include "actors/slots/slot_pool.hpp"

#include <tuple>

namespace troupe {

bool slot_order::operator()(const slot_request& a, const slot_request& b) const noexcept {
  const auto rank = [](const slot_request& of) {
    return std::tuple{-std::int64_t{of.priority}, !of.has_begun, of.waiting_since, of.ticket};
  };
  return rank(a) < rank(b);
}

void slot_pool::request(slot_request wanted, timestamp now) {
  const auto [entry, is_new] = tickets_.try_emplace(wanted.ticket, place{});
  if (!is_new)
    return;
  ++waiting_;
  const auto [at, is_first] = lines_.try_emplace(wanted.objective);
  if (is_first)
    set_turn(*at, wanted.objective_priority, now, ++turns_given_);
  else if (wanted.objective_priority != 0) // A lone task in the context of an objective has none.
    reorder(wanted.objective, wanted.objective_priority);
  entry->second = {&*at, at->second.waiting.insert(std::move(wanted)).first};
}

std::optional<slot_ticket> slot_pool::next(timestamp now) {
  if (in_use() >= capacity_ || turns_.empty())
    return std::nullopt;
  auto& next_line = *turns_.begin()->second;
  const auto first = next_line.second.waiting.begin();
  const auto ticket = first->ticket;
  set_turn(next_line, next_line.second.priority, now, ++turns_given_);
  leave({&next_line, first});
  tickets_[ticket].line = nullptr;
  return ticket;
}

void slot_pool::reorder(const std::string& objective, std::int32_t priority) {
  const auto at = lines_.find(objective);
  if (at != lines_.end() && at->second.priority != priority)
    set_turn(*at, priority, at->second.since, at->second.number);
}

void slot_pool::set_turn(objective_line& of, std::int32_t priority, timestamp since,
                         std::uint64_t number) {
  auto& requests = of.second;
  turns_.erase(requests.its_turn());
  requests.priority = priority;
  requests.since = since;
  requests.number = number;
  turns_.emplace(requests.its_turn(), &of);
}

void slot_pool::give_back(slot_ticket ticket, std::chrono::milliseconds held) {
  const auto entry = tickets_.find(ticket);
  if (entry == tickets_.end())
    return;
  if (entry->second.line == nullptr)
    held_ += held;
  else
    leave(entry->second);
  tickets_.erase(entry);
}

void slot_pool::leave(const place& from) {
  --waiting_;
  auto& [objective, requests] = *from.line;
  requests.waiting.erase(from.at);
  if (!requests.waiting.empty())
    return;
  turns_.erase(requests.its_turn());
  lines_.erase(lines_.find(objective));
}

} // namespace troupe
