#include <troupe/protocol/task_state.hpp>

namespace troupe {

namespace {

constexpr std::array<std::string_view, task_state_count> state_names{
    "unknown",  "submitted",      "working",  "completed",    "failed",
    "canceled", "input-required", "rejected", "auth-required"};

constexpr std::array<std::string_view, task_event_count> event_names{
    "start", "ask", "ask_auth", "answer", "complete", "fail", "cancel", "reject"};

constexpr bool table_is_deterministic() {
  for (std::size_t i = 0; i < task_transitions.size(); ++i)
    for (std::size_t k = i + 1; k < task_transitions.size(); ++k)
      if (task_transitions[i].from == task_transitions[k].from
          && task_transitions[i].on == task_transitions[k].on)
        return false;
  return true;
}

constexpr bool terminal_states_have_no_way_out() {
  for (const auto& row : task_transitions)
    if (is_terminal(row.from))
      return false;
  return true;
}

static_assert(table_is_deterministic() && terminal_states_have_no_way_out());

} // namespace

std::string_view to_string(task_state state) noexcept {
  const auto index = static_cast<std::size_t>(state);
  return index < state_names.size() ? state_names[index] : state_names[0];
}

std::string_view to_string(task_event event) noexcept {
  return event_names[static_cast<std::size_t>(event)];
}

std::optional<task_state> task_state_from(std::string_view text) noexcept {
  for (std::size_t i = 0; i < state_names.size(); ++i)
    if (state_names[i] == text)
      return static_cast<task_state>(i);
  return std::nullopt;
}

} // namespace troupe
