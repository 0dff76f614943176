#include "actors/plan/open_calls.hpp"

#include <troupe/actors/limits.hpp>
#include <troupe/protocol/task_state.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace troupe {

void open_calls::add_from(const plan_view& plan, std::size_t first) {
  for (auto task = first; task < plan.tasks.size(); ++task)
    if (const auto caller = plan.spec->tasks[task].caller;
        caller != no_caller && !is_terminal(plan.tasks[task].state))
      add({caller, static_cast<std::uint32_t>(task)});
}

void open_calls::add(call which) {
  auto& known = by_caller_[which.caller];
  if (std::ranges::find(known, which.called) == known.end())
    known.push_back(which.called);
}

std::vector<open_calls::call> open_calls::take_ended(const plan_view& plan) {
  std::vector<call> out;
  for (auto each = by_caller_.begin(); each != by_caller_.end();) {
    std::erase_if(each->second, [&](std::uint32_t called) {
      const bool has_ended = is_terminal(plan.tasks[called].state);
      if (has_ended)
        out.push_back({each->first, called});
      return has_ended;
    });
    each = each->second.empty() ? by_caller_.erase(each) : std::next(each);
  }
  return out;
}

std::vector<std::uint32_t> open_calls::take_of(std::uint32_t caller) {
  auto taken = by_caller_.extract(caller);
  return taken ? std::move(taken.mapped()) : std::vector<std::uint32_t>{};
}

result<void> check_calls(const plan_spec& plan, std::uint32_t caller, std::size_t count) {
  const auto known = static_cast<std::size_t>(std::ranges::count_if(
      plan.tasks, [&](const task_spec& each) { return each.caller == caller; }));
  if (known + count > called_tasks_max)
    return make_error(errc::limit_exceeded,
                      "the task has called " + std::to_string(known) + " tasks; the limit is "
                          + std::to_string(called_tasks_max) + " (called_tasks_max)",
                      "/operations");
  std::size_t depth = 1;
  for (auto at = plan.tasks[caller].caller; at < plan.tasks.size(); at = plan.tasks[at].caller)
    if (++depth > call_depth_max)
      return make_error(errc::limit_exceeded,
                        "calls are nested deeper than " + std::to_string(call_depth_max)
                            + " (call_depth_max)",
                        "/operations");
  return {};
}

} // namespace troupe
