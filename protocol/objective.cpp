#include <troupe/protocol/objective.hpp>

namespace troupe {

task_id plan_view::task_at(std::size_t index) const {
  return renewed_id(spec->tasks[index].id, tasks[index].generation);
}

std::string_view summary_state(const task_summary& summary) noexcept {
  if (summary.is_skipped && is_terminal(summary.state) && summary.state != task_state::completed)
    return "skipped";
  return summary.state == task_state::unspecified ? "pending" : to_string(summary.state);
}

} // namespace troupe
