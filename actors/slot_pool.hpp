// Who may run next when only so many may run at once, fair between owners: a plain value. Owners (objectives) take turns, so ten
// thousand waiting tasks of one do not hold up three of another; within an owner it is first come, first served.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

namespace troupe {

/// Names one request for a slot; later requests have greater ones.
using slot_ticket = std::uint64_t;

class slot_pool {
public:
  /// `capacity` slots; at least 1.
  explicit slot_pool(std::uint32_t capacity) : free_(capacity) {}

  /// Asks for a slot on behalf of `owner`; it is granted by `next`.
  void request(slot_ticket ticket, const std::string& owner);
  /// The next ticket that gets a slot now; call until empty.
  [[nodiscard]] std::optional<slot_ticket> next();
  /// The holder is done, or whoever waited no longer wants it. Unknown tickets are ignored.
  void give_back(slot_ticket ticket);

  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }
  [[nodiscard]] std::size_t in_use() const noexcept { return tickets_.size() - waiting_; }
  /// Owners of whom something waits.
  [[nodiscard]] std::size_t owners() const noexcept { return lines_.size(); }

private:
  struct line;
  using owner_line = std::pair<const std::string, line>;

  /// What waits of one owner. Tickets grow, so the first is the oldest.
  struct line {
    std::set<slot_ticket> tickets;
    std::list<owner_line*>::iterator turn; ///< Its place in `turn_`.
  };

  void leave(owner_line* owner, slot_ticket ticket);

  std::uint32_t free_;
  std::size_t waiting_ = 0;
  std::unordered_map<slot_ticket, owner_line*> tickets_; ///< Null: it has its slot.
  std::unordered_map<std::string, line> lines_;
  std::list<owner_line*> turn_; ///< The front one is next.
};

} // namespace troupe
