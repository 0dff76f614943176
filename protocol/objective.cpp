#include <troupe/protocol/objective.hpp>

namespace troupe {

task_id plan_view::task_at(std::size_t index) const {
  return renewed_id(spec->tasks[index].id, tasks[index].generation);
}

std::string_view summary_state(const task_summary& slot) noexcept {
  if (slot.is_skipped && is_terminal(slot.state) && slot.state != task_state::completed)
    return "skipped";
  return slot.state == task_state::unspecified ? "pending" : to_string(slot.state);
}

} // namespace troupe
