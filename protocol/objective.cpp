#include "protocol/objective.hpp"

namespace troupe {

task_id plan_view::task_at(std::size_t index) const {
  return renewed_id(spec->tasks[index].id, tasks[index].generation);
}

void set_pause(objective_view& view, bool paused, std::optional<std::uint32_t> plan) {
  if (!plan) {
    view.paused = paused;
    for (auto& each : view.plans)
      each.paused = paused && !is_settled(each.state);
  } else if (*plan < view.plans.size()) {
    view.plans[*plan].paused = paused;
  }
}

void set_state(objective_view& view, objective_state to) {
  view.state = to;
  if (to != objective_state::blocked)
    view.planning = to == objective_state::planning;
  if (!is_settled(to))
    return;
  set_pause(view, false);
  for (auto& each : view.plans)
    each.start_requested = false;
  view.closing.reset();
  view.closing_reason.clear();
}

std::string_view summary_state(const task_slot& slot) noexcept {
  return slot.state == task_state::unspecified ? "pending" : to_string(slot.state);
}

} // namespace troupe
