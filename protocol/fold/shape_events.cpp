#include "protocol/fold/plan_shape.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace troupe {

std::vector<event> events_of(const plan_view& before, const plan_changed& changed,
                             const std::function<bool(std::uint32_t)>& has_actor) {
  tasks_renewed renewed{changed.plan, {}};
  tasks_withdrawn removed{changed.plan, {}, task_state::canceled, "removed from its plan"};
  tasks_withdrawn skipped{changed.plan, {}, task_state::canceled, "skipped by request"};
  skipped.metadata["opt/v1/skipped"] = true;
  std::vector<event> completed;
  const auto ends_here = [&](std::uint32_t task) {
    const bool is_new = task >= before.tasks.size();
    return is_new || (!is_terminal(before.tasks[task].state) && !has_actor(task));
  };
  for (const auto& each : changed.operations) {
    if (const auto* again = std::get_if<retry_task<std::uint32_t>>(&each)) {
      if (!has_actor(again->task))
        renewed.tasks.push_back(again->task);
    } else if (const auto* gone = std::get_if<remove_task<std::uint32_t>>(&each)) {
      if (ends_here(gone->task))
        removed.tasks.push_back(gone->task);
    } else if (const auto* skip = std::get_if<skip_task<std::uint32_t>>(&each)) {
      if (ends_here(skip->task))
        skipped.tasks.push_back(skip->task);
    } else if (const auto* done = std::get_if<complete_task<std::uint32_t>>(&each)) {
      const bool was_renewed = std::ranges::find(renewed.tasks, done->task) != renewed.tasks.end();
      if (was_renewed || ends_here(done->task))
        completed.emplace_back(tasks_withdrawn{changed.plan,
                                               {done->task},
                                               task_state::completed,
                                               "completed by request",
                                               {},
                                               done->artifacts});
    }
  }
  std::vector<event> out;
  if (!renewed.tasks.empty())
    out.emplace_back(std::move(renewed));
  out.emplace_back(changed);
  for (auto* ended : {&removed, &skipped})
    if (!ended->tasks.empty())
      out.emplace_back(std::move(*ended));
  std::ranges::move(completed, std::back_inserter(out));
  return out;
}

} // namespace troupe
