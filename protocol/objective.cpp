#include "protocol/objective.hpp"

namespace troupe {

task_id plan_view::task_at(std::size_t index) const {
  const auto& base = spec->tasks[index].id;
  const auto generation = tasks[index].generation;
  return generation == 0 ? base : task_id{base.str() + ".r" + std::to_string(generation)};
}

std::string_view summary_state(const task_slot& slot) noexcept {
  return slot.state == task_state::unspecified ? "pending" : to_string(slot.state);
}

} // namespace troupe
