// Grants a limited number of slots to tasks, fair between objectives: a plain value.
// Objectives of one priority take turns, so ten thousand waiting tasks of one do not hold up three
// of another. One of a greater priority goes first; a minute without a slot counts as one step of
// priority, so that no objective waits for ever. Within an objective `slot_order` says who is
// first.
#pragma once

#include "protocol/owner_parts.hpp"
#include <troupe/protocol/time.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace troupe {

/// Names one request for a slot; later requests have greater ones.
using slot_ticket = std::uint64_t;

/// A task wants to run.
struct slot_request {
  slot_ticket ticket = 0;
  std::string objective;     ///< The objective's id, or a lone task's context. These take turns.
  std::string owner;         ///< Of the task (owner_of).
  std::int32_t priority = 0; ///< The greatest goes first.
  bool has_begun = false;    ///< It ran before, and goes on.
  timestamp waiting_since{};
  std::int32_t objective_priority = 0; ///< The last one asked says so for all of its objective.

  /// The owner's; empty: none. An order between tenants would read it.
  [[nodiscard]] std::string_view tenant() const noexcept { return tenant_of(owner); }
};

/// The order of one objective's requests: the greatest priority, then what has begun, then what has
/// waited longest.
struct slot_order {
  [[nodiscard]] bool operator()(const slot_request& a, const slot_request& b) const noexcept;
};

class slot_pool {
public:
  /// `capacity` slots; at least 1.
  explicit slot_pool(std::uint32_t capacity) : capacity_(capacity) {}

  /// At least 1. Who has a slot keeps it, also if there are fewer slots than that.
  void resize(std::uint32_t capacity) noexcept { capacity_ = capacity; }

  /// Asks for a slot; it is granted by `next`.
  void request(slot_request wanted, timestamp now = {});
  /// The next ticket that gets a slot now; call until empty.
  [[nodiscard]] std::optional<slot_ticket> next(timestamp now = {});
  /// The objective has another priority: what waits of it is moved.
  void reorder(const std::string& objective, std::int32_t priority);
  /// The task that had the slot ran for `held`, or the task that waited wants no slot any more.
  /// Unknown tickets are ignored.
  void give_back(slot_ticket ticket, std::chrono::milliseconds held = {});

  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }
  [[nodiscard]] std::size_t in_use() const noexcept { return tickets_.size() - waiting_; }
  /// Objectives that have waiting requests.
  [[nodiscard]] std::size_t objectives() const noexcept { return lines_.size(); }
  /// The sum over all slots that were given back.
  [[nodiscard]] std::chrono::milliseconds held() const noexcept { return held_; }

private:
  struct line;
  using objective_line = std::pair<const std::string, line>;
  using waiting_requests = std::set<slot_request, slot_order>;

  /// When an objective had its last slot here, or came, less what its priority is worth; then the
  /// order in which that was.
  using turn = std::pair<timestamp, std::uint64_t>;

  /// The waiting requests of one objective.
  struct line {
    waiting_requests waiting;
    std::int32_t priority = 0;
    timestamp since{};
    std::uint64_t number = 0;

    [[nodiscard]] turn its_turn() const noexcept {
      return {since - std::chrono::minutes{priority}, number};
    }
  };

  struct place {
    objective_line* line; ///< Null: it has its slot.
    waiting_requests::iterator at;
  };

  void leave(const place& from);
  /// The smallest turn is the next one.
  void set_turn(objective_line& of, std::int32_t priority, timestamp since, std::uint64_t number);

  std::uint32_t capacity_;
  std::size_t waiting_ = 0;
  std::chrono::milliseconds held_{0};
  std::unordered_map<slot_ticket, place> tickets_;
  std::unordered_map<std::string, line> lines_;
  std::map<turn, objective_line*> turns_;
  std::uint64_t turns_given_ = 0;
};

} // namespace troupe
