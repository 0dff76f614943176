#include "protocol/fold/waiting.hpp"

#include <algorithm>
#include <limits>

namespace troupe {

namespace {

constexpr std::uint32_t changed_ms_max = std::numeric_limits<std::uint32_t>::max();

const plan_view* plan_at(const objective_view& view, std::uint32_t plan) {
  return plan < view.plans.size() ? &view.plans[plan] : nullptr;
}

const task_summary* summary_at(const objective_view& view, std::uint32_t plan, std::uint32_t task) {
  const auto* of = plan_at(view, plan);
  return of && task < of->tasks.size() ? &of->tasks[task] : nullptr;
}

/// Calls `visit(plan view, summary)` with everything that the task depends on.
template<class Visit>
void for_each_dependency(const objective_view& view, std::uint32_t plan, std::uint32_t task,
                         Visit visit) {
  const auto& spec = *view.plans[plan].spec;
  for (const auto index : spec.tasks[task].dependency_indexes)
    if (const auto* summary = index == elsewhere ? nullptr : summary_at(view, plan, index))
      visit(view.plans[plan], *summary);
  // Not with std::ranges::equal_range: clang 14 cannot compile the subrange of GCC's library.
  const auto before = [](const outside_dependency& each, std::uint32_t at) {
    return each.task < at;
  };
  for (auto each = std::lower_bound(spec.outside.begin(), spec.outside.end(), task, before);
       each != spec.outside.end() && each->task == task; ++each)
    if (const auto* summary = summary_at(view, each->on_plan, each->on_task))
      visit(view.plans[each->on_plan], *summary);
}

bool depends_on_open(const objective_view& view, std::uint32_t plan, std::uint32_t task) {
  bool open = false;
  for_each_dependency(view, plan, task, [&](const plan_view&, const task_summary& summary) {
    open = open || !is_satisfied(summary);
  });
  return open;
}

} // namespace

std::string_view to_string(waiting_reason reason) noexcept {
  switch (reason) {
    case waiting_reason::start: return "start";
    case waiting_reason::pause: return "pause";
    case waiting_reason::plan: return "plan";
    case waiting_reason::dependencies: return "dependencies";
    case waiting_reason::slot: return "slot";
    case waiting_reason::backoff: return "backoff";
    case waiting_reason::question: return "question";
  }
  return "?";
}

std::optional<waiting_reason> waiting_for(const objective_view& view, std::uint32_t plan,
                                          std::uint32_t task) {
  const auto* summary = summary_at(view, plan, task);
  if (!summary)
    return std::nullopt;
  if (is_interrupted(summary->state))
    return waiting_reason::question;
  if (!is_terminal(summary->state) && summary->wait != task_wait::none)
    return summary->wait == task_wait::slot ? waiting_reason::slot : waiting_reason::backoff;
  const auto& of = view.plans[plan];
  const bool may_begin =
      summary->state == task_state::unspecified || summary->state == task_state::submitted;
  if (!may_begin || is_settled(view.state) || is_settled(of.state) || view.closing)
    return std::nullopt;
  if (of.state == plan_state::pending) {
    if (view.state == objective_state::submitted || (view.planning && !of.start_requested))
      return waiting_reason::start;
    return view.paused ? waiting_reason::pause : waiting_reason::plan;
  }
  if (depends_on_open(view, plan, task))
    return waiting_reason::dependencies;
  return of.paused ? waiting_reason::pause : waiting_reason::slot;
}

std::optional<timestamp> ready_at(const objective_view& view, std::uint32_t plan,
                                  std::uint32_t task) {
  const auto* summary = summary_at(view, plan, task);
  if (!summary || view.plans[plan].began == timestamp{} || depends_on_open(view, plan, task))
    return std::nullopt;
  auto out = view.plans[plan].began;
  bool known = true;
  for_each_dependency(view, plan, task, [&](const plan_view& of, const task_summary& on) {
    known = known && on.changed_ms != changed_ms_max;
    out = std::max(out, of.created + std::chrono::milliseconds{on.changed_ms});
  });
  return known ? std::optional{out} : std::nullopt;
}

std::optional<timestamp> changed_at(const objective_view& view, std::uint32_t plan,
                                    std::uint32_t task) {
  const auto* summary = summary_at(view, plan, task);
  if (!summary || summary->changed_ms == changed_ms_max)
    return std::nullopt;
  return view.plans[plan].created + std::chrono::milliseconds{summary->changed_ms};
}

} // namespace troupe
