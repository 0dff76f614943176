// Who may run next when only so many may run at once, fair between owners: a plain value. Owners (objectives) take turns, so ten
// thousand waiting tasks of one do not hold up three of another; within an owner it is first come, first served.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>

namespace troupe {

/// Names one request for a slot.
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

private:
  enum class phase : std::uint8_t { waiting, holding };

  std::uint32_t free_;
  std::size_t waiting_ = 0;
  std::unordered_map<slot_ticket, phase> tickets_;
  std::unordered_map<std::string, std::deque<slot_ticket>> queues_;
  std::deque<std::string> turn_; ///< Owners with a queue; the front one is next.
};

} // namespace troupe
