// The lives of plans and objectives (OPT "Data Model"): which state may become which. One table
// each, one function each. Staying in a state is always allowed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace troupe {

enum class plan_state : std::uint8_t { pending, working, blocked, completed, failed, skipped };
inline constexpr std::size_t plan_state_count = 6;

struct plan_move {
  plan_state from;
  plan_state to;
};

inline constexpr auto plan_moves = std::to_array<plan_move>({
    {plan_state::pending, plan_state::working},
    {plan_state::pending, plan_state::skipped},
    {plan_state::working, plan_state::blocked},
    {plan_state::working, plan_state::completed},
    {plan_state::working, plan_state::failed},
    {plan_state::blocked, plan_state::working},
    {plan_state::blocked, plan_state::failed},
    {plan_state::blocked, plan_state::skipped},
    {plan_state::failed, plan_state::pending},
    {plan_state::failed, plan_state::working},
    {plan_state::skipped, plan_state::pending}, // what it depends on is tried again
});

enum class objective_state : std::uint8_t {
  submitted,
  planning,
  working,
  blocked,
  completed,
  failed,
  canceled
};
inline constexpr std::size_t objective_state_count = 7;

struct objective_move {
  objective_state from;
  objective_state to;
};

inline constexpr auto objective_moves = std::to_array<objective_move>({
    {objective_state::submitted, objective_state::planning},
    {objective_state::submitted, objective_state::working},
    {objective_state::submitted, objective_state::canceled},
    {objective_state::planning, objective_state::working},
    {objective_state::planning, objective_state::blocked},
    {objective_state::planning, objective_state::failed},
    {objective_state::planning, objective_state::canceled},
    {objective_state::working, objective_state::blocked},
    {objective_state::working, objective_state::completed},
    {objective_state::working, objective_state::failed},
    {objective_state::working, objective_state::canceled},
    {objective_state::blocked, objective_state::planning},
    {objective_state::blocked, objective_state::working},
    {objective_state::blocked, objective_state::failed},
    {objective_state::blocked, objective_state::canceled},
    {objective_state::failed, objective_state::submitted},
    {objective_state::failed, objective_state::planning},
    {objective_state::canceled, objective_state::submitted},
});

[[nodiscard]] constexpr bool may_become(plan_state from, plan_state to) noexcept {
  if (from == to)
    return true;
  for (const auto& row : plan_moves)
    if (row.from == from && row.to == to)
      return true;
  return false;
}

[[nodiscard]] constexpr bool may_become(objective_state from, objective_state to) noexcept {
  if (from == to)
    return true;
  for (const auto& row : objective_moves)
    if (row.from == from && row.to == to)
      return true;
  return false;
}

/// Nothing more happens by itself: completed, failed, skipped.
[[nodiscard]] constexpr bool is_settled(plan_state state) noexcept {
  return state == plan_state::completed || state == plan_state::failed
         || state == plan_state::skipped;
}

/// Nothing more happens by itself: completed, failed, canceled.
[[nodiscard]] constexpr bool is_settled(objective_state state) noexcept {
  return state == objective_state::completed || state == objective_state::failed
         || state == objective_state::canceled;
}

/// The OPT spelling.
[[nodiscard]] std::string_view to_string(plan_state state) noexcept;
[[nodiscard]] std::string_view to_string(objective_state state) noexcept;
[[nodiscard]] std::optional<plan_state> plan_state_from(std::string_view text) noexcept;
[[nodiscard]] std::optional<objective_state> objective_state_from(std::string_view text) noexcept;

} // namespace troupe
