// The life of a task: the A2A states, one table, one function (A2A 1.0 section 4.1.3). A task's
// state changes only by this table. A terminal task never moves again.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace troupe {

/// Values as in the A2A 1.0 proto (`TaskState`).
enum class task_state : std::uint8_t {
  unspecified = 0,
  submitted = 1,
  working = 2,
  completed = 3,
  failed = 4,
  canceled = 5,
  input_required = 6,
  rejected = 7,
  auth_required = 8,
};

inline constexpr std::size_t task_state_count = 9;

enum class task_event : std::uint8_t {
  start,    ///< An attempt begins (the first, a retry, or one after a restart of the process).
  ask,      ///< The agent needs input from a person.
  ask_auth, ///< The agent needs credentials.
  answer,   ///< The input arrived.
  complete,
  fail,
  cancel,
  reject,
};

inline constexpr std::size_t task_event_count = 8;

struct task_transition {
  task_state from;
  task_event on;
  task_state to;
};

inline constexpr auto task_transitions = std::to_array<task_transition>({
    {task_state::submitted, task_event::start, task_state::working},
    {task_state::submitted, task_event::complete, task_state::completed},
    {task_state::submitted, task_event::fail, task_state::failed},
    {task_state::submitted, task_event::cancel, task_state::canceled},
    {task_state::submitted, task_event::reject, task_state::rejected},
    {task_state::working, task_event::start, task_state::working},
    {task_state::working, task_event::ask, task_state::input_required},
    {task_state::working, task_event::ask_auth, task_state::auth_required},
    {task_state::working, task_event::complete, task_state::completed},
    {task_state::working, task_event::fail, task_state::failed},
    {task_state::working, task_event::cancel, task_state::canceled},
    {task_state::working, task_event::reject, task_state::rejected},
    {task_state::input_required, task_event::start, task_state::working},
    {task_state::input_required, task_event::answer, task_state::working},
    {task_state::input_required, task_event::complete, task_state::completed},
    {task_state::input_required, task_event::fail, task_state::failed},
    {task_state::input_required, task_event::cancel, task_state::canceled},
    {task_state::input_required, task_event::reject, task_state::rejected},
    {task_state::auth_required, task_event::start, task_state::working},
    {task_state::auth_required, task_event::answer, task_state::working},
    {task_state::auth_required, task_event::complete, task_state::completed},
    {task_state::auth_required, task_event::fail, task_state::failed},
    {task_state::auth_required, task_event::cancel, task_state::canceled},
    {task_state::auth_required, task_event::reject, task_state::rejected},
});

/// The state that follows `from` after `on`; nothing if the table does not allow it.
[[nodiscard]] constexpr std::optional<task_state> next_state(task_state from,
                                                             task_event on) noexcept {
  for (const auto& row : task_transitions)
    if (row.from == from && row.on == on)
      return row.to;
  return std::nullopt;
}

[[nodiscard]] constexpr bool is_terminal(task_state state) noexcept {
  return state == task_state::completed || state == task_state::failed
         || state == task_state::canceled || state == task_state::rejected;
}

/// Waiting for a person or a client (A2A: "interrupted").
[[nodiscard]] constexpr bool is_interrupted(task_state state) noexcept {
  return state == task_state::input_required || state == task_state::auth_required;
}

/// The A2A 0.3 spelling, also used in OPT summaries and logs: `input-required`.
[[nodiscard]] std::string_view to_string(task_state state) noexcept;
[[nodiscard]] std::string_view to_string(task_event event) noexcept;
/// Reads the spelling above.
[[nodiscard]] std::optional<task_state> task_state_from(std::string_view text) noexcept;

} // namespace troupe
