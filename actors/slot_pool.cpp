#include "actors/slot_pool.hpp"

#include <tuple>

namespace troupe {

bool slot_order::operator()(const slot_request& a, const slot_request& b) const noexcept {
  const auto rank = [](const slot_request& of) {
    return std::tuple{-std::int64_t{of.priority}, !of.has_begun, of.waiting_since, of.ticket};
  };
  return rank(a) < rank(b);
}

void slot_pool::request(slot_request wanted) {
  const auto [entry, is_new] = tickets_.try_emplace(wanted.ticket, place{});
  if (!is_new)
    return;
  ++waiting_;
  const auto [at, is_first] = lines_.try_emplace(wanted.objective);
  if (is_first)
    at->second.turn = turn_.insert(turn_.end(), &*at);
  entry->second = {&*at, at->second.waiting.insert(std::move(wanted)).first};
}

std::optional<slot_ticket> slot_pool::next() {
  if (free_ == 0 || turn_.empty())
    return std::nullopt;
  auto* const next_line = turn_.front();
  const auto first = next_line->second.waiting.begin();
  const auto ticket = first->ticket;
  turn_.splice(turn_.end(), turn_, turn_.begin());
  leave({next_line, first});
  tickets_[ticket].line = nullptr;
  --free_;
  return ticket;
}

void slot_pool::give_back(slot_ticket ticket, std::chrono::milliseconds held) {
  const auto entry = tickets_.find(ticket);
  if (entry == tickets_.end())
    return;
  if (entry->second.line == nullptr) {
    ++free_;
    held_ += held;
  } else {
    leave(entry->second);
  }
  tickets_.erase(entry);
}

void slot_pool::leave(const place& from) {
  --waiting_;
  auto& [objective, requests] = *from.line;
  requests.waiting.erase(from.at);
  if (!requests.waiting.empty())
    return;
  turn_.erase(requests.turn);
  lines_.erase(lines_.find(objective));
}

} // namespace troupe
