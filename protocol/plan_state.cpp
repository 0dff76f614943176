#include <troupe/protocol/plan_state.hpp>

namespace troupe {

namespace {

constexpr std::array<std::string_view, plan_state_count> plan_names{
    "pending", "working", "blocked", "completed", "failed", "skipped"};
constexpr std::array<std::string_view, objective_state_count> objective_names{
    "submitted", "planning", "working", "blocked", "completed", "failed", "canceled"};

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

std::optional<plan_state> plan_state_from(std::string_view text) noexcept {
  return find_name<plan_state>(plan_names, text);
}

std::optional<objective_state> objective_state_from(std::string_view text) noexcept {
  return find_name<objective_state>(objective_names, text);
}

} // namespace troupe
