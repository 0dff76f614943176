#include "apps/remote/missed_changes.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace troupe {

namespace {

/// Collects changes of one objective.
class change_list {
public:
  explicit change_list(const objective_view& now) : now_(now) {}

  void add(event happened, task_address task = {}) {
    change one;
    one.context = now_.id.str();
    one.task = std::move(task);
    one.at = now_.updated;
    one.events.push_back(std::move(happened));
    all_.push_back(std::move(one));
  }
  [[nodiscard]] std::vector<change> take() { return std::move(all_); }

private:
  const objective_view& now_;
  std::vector<change> all_;
};

/// `before`: null if the task was not there, or had not begun.
void add_state_of(change_list& to, const plan_view& plan, std::uint32_t p, std::uint32_t t,
                  const task_row* before) {
  const auto& summary = plan.tasks[t];
  const task_row none;
  const auto& old = before == nullptr ? none : *before;
  if (summary.state == old.state && summary.attempt == old.attempt
      && summary.generation == old.generation)
    return;
  if (summary.state == task_state::unspecified)
    to.add(tasks_renewed{p, {t}});
  else
    to.add(task_moved{summary.state, summary.attempt, nullptr}, {plan.task_at(t), false, p, t});
}

} // namespace

std::vector<change> missed_changes(const run_model& before, const objective_view& now) {
  change_list out(now);
  for (auto p = before.plans().size(); p < now.plans.size(); ++p)
    out.add(plan_added{now.plans[p].spec});
  for (std::uint32_t p = 0; p < now.plans.size(); ++p) {
    const auto* rows = p < before.plans().size() ? &before.plans()[p].tasks : nullptr;
    for (std::uint32_t t = 0; t < now.plans[p].tasks.size(); ++t)
      add_state_of(out, now.plans[p], p, t,
                   rows != nullptr && t < rows->size() ? &(*rows)[t] : nullptr);
  }
  for (std::uint32_t p = 0; p < now.plans.size(); ++p) {
    const auto old = p < before.plans().size() ? before.plans()[p].state : plan_state::pending;
    if (now.plans[p].state != old)
      out.add(plan_moved{p, event_to(now.plans[p].state), now.plans[p].reason});
  }
  if (now.state != before.state())
    out.add(objective_moved{event_to(now.state), now.reason});
  return out.take();
}

} // namespace troupe
