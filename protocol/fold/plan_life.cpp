#include "protocol/fold/plan_life.hpp"

namespace troupe {

std::vector<plan_moved> moves_to(plan_state from, std::uint32_t index, plan_state to,
                                 const std::string& reason) {
  const auto on = event_to(to);
  // What runs is skipped by request only.
  const plan_moved last{index, on, reason, on == plan_event::skip};
  if (next_state(from, on))
    return {last};
  if (from == plan_state::blocked && next_state(plan_state::working, on))
    return {plan_moved{index, plan_event::work, ""}, last};
  if (from == plan_state::working && next_state(plan_state::blocked, on))
    return {plan_moved{index, plan_event::block, reason}, last};
  return {};
}

bool waits_for_input(const plan_view& plan, const task_tally& tasks) {
  const bool none_is_ready = tasks.ready == 0 && tasks.ready_again == 0;
  const bool none_may_run = none_is_ready || !has_room(plan, tasks.running - tasks.parked);
  return tasks.asking > 0 && tasks.asking + tasks.ready_again + tasks.calling == tasks.running
         && none_may_run;
}

std::vector<plan_moved> decide(const plan_view& plan, std::uint32_t index, const task_tally& tasks,
                               const std::optional<plan_end>& end, const std::string& failure) {
  if (is_settled(plan.state))
    return {};
  if (tasks.running == 0 && end)
    return moves_to(plan.state, index, end->to, end->reason);
  const bool is_over = tasks.running == 0 && tasks.ready == 0 && tasks.waiting == 0;
  if (is_over && !plan.spec->tasks.empty()) {
    if (tasks.failed == 0)
      return moves_to(plan.state, index, plan_state::completed, "");
    return moves_to(plan.state, index, plan_state::failed, failure);
  }
  const bool blocked = plan.paused || waits_for_input(plan, tasks);
  const std::string why = plan.paused ? "paused by request" : "waits for input";
  const bool is_said = plan.state == plan_state::blocked && plan.reason == why;
  if (blocked && !is_said && next_state(plan.state, plan_event::block))
    return {plan_moved{index, plan_event::block, why}};
  if (!blocked && plan.state == plan_state::blocked)
    return {plan_moved{index, plan_event::work, ""}};
  return {};
}

} // namespace troupe
