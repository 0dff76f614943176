// The lives of plans and objectives (OPT "Data Model"): one table and one function each, as for
// tasks (task_state.hpp). A state changes only by its table. A command may name the state that is
// there already.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace troupe {

enum class plan_state : std::uint8_t { pending, working, blocked, completed, failed, skipped };
inline constexpr std::size_t plan_state_count = 6;

/// Each leads to one state, and each state has one.
enum class plan_event : std::uint8_t {
  retry, ///< It is to begin anew.
  work,  ///< Its tasks may begin: at its start, or after it was blocked.
  block, ///< It was paused, or waits for input.
  complete,
  fail,
  skip,
};
inline constexpr std::size_t plan_event_count = 6;

struct plan_transition {
  plan_state from;
  plan_event on;
  plan_state to;
};

inline constexpr auto plan_transitions = std::to_array<plan_transition>({
    {plan_state::pending, plan_event::retry, plan_state::pending}, // its withdrawn tasks
    {plan_state::pending, plan_event::work, plan_state::working},
    {plan_state::pending, plan_event::skip, plan_state::skipped},
    {plan_state::working, plan_event::block, plan_state::blocked},
    {plan_state::working, plan_event::complete, plan_state::completed},
    {plan_state::working, plan_event::fail, plan_state::failed},
    {plan_state::blocked, plan_event::block, plan_state::blocked}, // for another reason
    {plan_state::blocked, plan_event::work, plan_state::working},
    {plan_state::blocked, plan_event::fail, plan_state::failed},
    {plan_state::blocked, plan_event::skip, plan_state::skipped},
    {plan_state::failed, plan_event::retry, plan_state::pending},
    {plan_state::failed, plan_event::work, plan_state::working},
    {plan_state::skipped, plan_event::retry, plan_state::pending}, // what it depends on is retried
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

/// Each leads to one state, and each state has one.
enum class objective_event : std::uint8_t {
  reopen,         ///< It is tried again, and waits for its start.
  start_planning, ///< Its plans are started one by one.
  work,           ///< Its plans may begin by themselves.
  block,          ///< It was paused, or nothing of it can run before a question is answered.
  complete,
  fail,
  cancel,
};
inline constexpr std::size_t objective_event_count = 7;

struct objective_transition {
  objective_state from;
  objective_event on;
  objective_state to;
};

inline constexpr auto objective_transitions = std::to_array<objective_transition>({
    {objective_state::submitted, objective_event::start_planning, objective_state::planning},
    {objective_state::submitted, objective_event::work, objective_state::working},
    {objective_state::submitted, objective_event::cancel, objective_state::canceled},
    {objective_state::planning, objective_event::work, objective_state::working},
    {objective_state::planning, objective_event::block, objective_state::blocked},
    {objective_state::planning, objective_event::fail, objective_state::failed},
    {objective_state::planning, objective_event::cancel, objective_state::canceled},
    {objective_state::working, objective_event::block, objective_state::blocked},
    {objective_state::working, objective_event::complete, objective_state::completed},
    {objective_state::working, objective_event::fail, objective_state::failed},
    {objective_state::working, objective_event::cancel, objective_state::canceled},
    {objective_state::blocked, objective_event::block, objective_state::blocked}, // the same
    {objective_state::blocked, objective_event::start_planning, objective_state::planning},
    {objective_state::blocked, objective_event::work, objective_state::working},
    {objective_state::blocked, objective_event::fail, objective_state::failed},
    {objective_state::blocked, objective_event::cancel, objective_state::canceled},
    {objective_state::failed, objective_event::reopen, objective_state::submitted},
    {objective_state::failed, objective_event::start_planning, objective_state::planning},
    {objective_state::canceled, objective_event::reopen, objective_state::submitted},
});

/// The state that follows `from` after `on`; nothing if the table does not allow it.
[[nodiscard]] constexpr std::optional<plan_state> next_state(plan_state from,
                                                             plan_event on) noexcept {
  for (const auto& row : plan_transitions)
    if (row.from == from && row.on == on)
      return row.to;
  return std::nullopt;
}

[[nodiscard]] constexpr std::optional<objective_state> next_state(objective_state from,
                                                                  objective_event on) noexcept {
  for (const auto& row : objective_transitions)
    if (row.from == from && row.on == on)
      return row.to;
  return std::nullopt;
}

/// The state to which `on` leads, wherever it is possible.
[[nodiscard]] constexpr plan_state leads_to(plan_event on) noexcept {
  for (const auto& row : plan_transitions)
    if (row.on == on)
      return row.to;
  return {};
}

[[nodiscard]] constexpr objective_state leads_to(objective_event on) noexcept {
  for (const auto& row : objective_transitions)
    if (row.on == on)
      return row.to;
  return {};
}

/// The event that leads to `to`.
[[nodiscard]] constexpr plan_event event_to(plan_state to) noexcept {
  for (const auto& row : plan_transitions)
    if (row.to == to)
      return row.on;
  return {};
}

[[nodiscard]] constexpr objective_event event_to(objective_state to) noexcept {
  for (const auto& row : objective_transitions)
    if (row.to == to)
      return row.on;
  return {};
}

/// Whether a command may name `to` in `from`: the table leads there, or it is there already. A plan
/// that has not begun may be ended, since OPT prints such a `plans/update`. One that was skipped is
/// pending again only with a retry of its objective or of what it depends on.
[[nodiscard]] constexpr bool may_become(plan_state from, plan_state to) noexcept {
  const bool ends_unbegun =
      from == plan_state::pending && (to == plan_state::completed || to == plan_state::failed);
  const bool is_by_table = from != plan_state::skipped && next_state(from, event_to(to));
  return from == to || ends_unbegun || is_by_table;
}

[[nodiscard]] constexpr bool may_become(objective_state from, objective_state to) noexcept {
  return from == to || next_state(from, event_to(to)).has_value();
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

/// The OPT spelling; of an event its name here.
[[nodiscard]] std::string_view to_string(plan_state state) noexcept;
[[nodiscard]] std::string_view to_string(objective_state state) noexcept;
[[nodiscard]] std::string_view to_string(plan_event event) noexcept;
[[nodiscard]] std::string_view to_string(objective_event event) noexcept;
[[nodiscard]] std::optional<plan_state> plan_state_from(std::string_view text) noexcept;
[[nodiscard]] std::optional<objective_state> objective_state_from(std::string_view text) noexcept;

} // namespace troupe
