#include "protocol/fold/apply.hpp"

#include <variant>

namespace troupe {

const std::shared_ptr<task>* created_record(const change& of) noexcept {
  if (of.events.empty())
    return nullptr;
  const auto* made = std::get_if<task_created>(&of.events.front());
  return made && made->record ? &made->record : nullptr;
}

const task_moved* last_move(const change& of) noexcept {
  for (auto fact = of.events.rbegin(); fact != of.events.rend(); ++fact)
    if (const auto* moved = std::get_if<task_moved>(&*fact))
      return moved;
  return nullptr;
}

bool ends_task(const change& of) noexcept {
  if (const auto* moved = last_move(of))
    return is_terminal(moved->to);
  const auto* made = created_record(of);
  return made && is_terminal((*made)->status.state);
}

const objective_created* created_objective(const change& of) noexcept {
  return of.events.empty() ? nullptr : std::get_if<objective_created>(&of.events.front());
}

} // namespace troupe
