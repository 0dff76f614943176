#include <troupe/protocol/plan_state.hpp>

namespace troupe {

namespace {

constexpr std::array<std::string_view, plan_state_count> plan_names{
    "pending", "working", "blocked", "completed", "failed", "skipped"};
constexpr std::array<std::string_view, objective_state_count> objective_names{
    "submitted", "planning", "working", "blocked", "completed", "failed", "canceled"};

constexpr std::array<std::string_view, plan_event_count> plan_event_names{
    "retry", "work", "block", "complete", "fail", "skip"};
constexpr std::array<std::string_view, objective_event_count> objective_event_names{
    "reopen", "start_planning", "work", "block", "complete", "fail", "cancel"};

/// So that an event says the state that follows, and a state the event that leads to it.
template<class Event, class Table>
constexpr bool events_and_states_match(const Table& table, std::size_t events) {
  for (const auto& row : table)
    if (leads_to(row.on) != row.to || event_to(row.to) != row.on)
      return false;
  for (std::size_t i = 0; i < events; ++i)
    if (event_to(leads_to(static_cast<Event>(i))) != static_cast<Event>(i))
      return false;
  return true;
}

template<class Table>
constexpr bool is_deterministic(const Table& table) {
  for (std::size_t i = 0; i < table.size(); ++i)
    for (std::size_t k = i + 1; k < table.size(); ++k)
      if (table[i].from == table[k].from && table[i].on == table[k].on)
        return false;
  return true;
}

static_assert(events_and_states_match<plan_event>(plan_transitions, plan_event_count)
              && is_deterministic(plan_transitions));
static_assert(events_and_states_match<objective_event>(objective_transitions, objective_event_count)
              && is_deterministic(objective_transitions));

template<class State, std::size_t N>
std::optional<State> find_name(const std::array<std::string_view, N>& names,
                               std::string_view text) noexcept {
  for (std::size_t i = 0; i < N; ++i)
    if (names[i] == text)
      return static_cast<State>(i);
  return std::nullopt;
}

} // namespace

std::string_view to_string(plan_state state) noexcept {
  return plan_names[static_cast<std::size_t>(state)];
}

std::string_view to_string(objective_state state) noexcept {
  return objective_names[static_cast<std::size_t>(state)];
}

std::string_view to_string(plan_event event) noexcept {
  return plan_event_names[static_cast<std::size_t>(event)];
}

std::string_view to_string(objective_event event) noexcept {
  return objective_event_names[static_cast<std::size_t>(event)];
}

std::optional<plan_state> plan_state_from(std::string_view text) noexcept {
  return find_name<plan_state>(plan_names, text);
}

std::optional<objective_state> objective_state_from(std::string_view text) noexcept {
  return find_name<objective_state>(objective_names, text);
}

} // namespace troupe
