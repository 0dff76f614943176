#include "apps/run/tree_layout.hpp"

#include <algorithm>
#include <numeric>

namespace troupe {

namespace {

/// Lines for the trackers of a task below its own; a single tracker is drawn on the task's line.
std::size_t tracker_lines(const plan_row& plan, std::uint32_t task) {
  const auto found = plan.progress.find(task);
  if (found == plan.progress.end() || found->second->trackers.size() < 2)
    return 0;
  return found->second->trackers.size();
}

/// Lines the plan's tasks take if none is folded.
std::size_t wanted(const plan_row& plan) {
  std::size_t lines = plan.tasks.size();
  for (const auto& [task, report] : plan.progress)
    lines += tracker_lines(plan, task);
  return lines;
}

/// Something happens here, or went wrong.
bool is_open(const plan_row& plan) {
  return plan.state == plan_state::working || plan.state == plan_state::blocked
         || plan.state == plan_state::failed;
}

/// How much a plan matters on the screen; larger is more.
int weight(const plan_row& plan) {
  switch (plan.state) {
    case plan_state::blocked: return 5;
    case plan_state::working: return 4;
    case plan_state::failed: return 3;
    case plan_state::pending: return 2;
    case plan_state::completed: return 1;
    case plan_state::skipped: return 0;
  }
  return 0;
}

void add_plan_to(state_counts& counts, const plan_row& plan) {
  switch (plan.state) {
    case plan_state::pending: ++counts.pending; return;
    case plan_state::working:
    case plan_state::blocked: ++counts.working; return;
    case plan_state::completed: ++counts.completed; return;
    case plan_state::failed: ++counts.failed; return;
    case plan_state::skipped: ++counts.skipped; return;
  }
}

bool is_pending(task_state state) {
  return state == task_state::unspecified || state == task_state::submitted;
}

/// The tasks of `plan` that are shown if there are `lines_max` lines for them and the fold line.
struct chosen {
  std::vector<std::uint32_t> tasks;         ///< Ascending.
  std::vector<std::uint32_t> with_trackers; ///< Ascending.
  bool folded = false;
};

chosen choose_tasks(const plan_row& plan, std::size_t lines_max) {
  chosen out;
  if (wanted(plan) <= lines_max) {
    out.tasks.resize(plan.tasks.size());
    std::iota(out.tasks.begin(), out.tasks.end(), 0U);
    out.with_trackers.assign(plan.active.begin(), plan.active.end());
    return out;
  }
  if (lines_max == 0)
    return out;
  out.folded = true;
  std::size_t left = lines_max - 1; // one line says what is folded
  const auto take = [&](std::uint32_t task) {
    if (left == 0)
      return;
    out.tasks.push_back(task);
    --left;
  };
  for (const auto i : plan.active)
    if (is_interrupted(plan.tasks[i].state))
      take(i);
  for (const auto i : plan.active)
    if (!is_interrupted(plan.tasks[i].state))
      take(i);
  for (const auto i : plan.failed)
    take(i);
  // What comes next, but no more than a third of the lines: the order of release is not the order
  // of the document.
  std::size_t next = std::min(left, lines_max / 3);
  for (std::uint32_t i = 0; i < plan.tasks.size() && next > 0; ++i) {
    if (!is_pending(plan.tasks[i].state))
      continue;
    take(i);
    --next;
  }
  for (auto i = static_cast<std::uint32_t>(plan.tasks.size()); i-- > 0 && left > 0;)
    if (plan.tasks[i].state == task_state::completed)
      take(i);
  std::sort(out.tasks.begin(), out.tasks.end());
  for (const auto i : out.tasks) {
    const std::size_t lines = tracker_lines(plan, i);
    if (lines > 0 && lines <= left) {
      out.with_trackers.push_back(i);
      left -= lines;
    }
  }
  return out;
}

void append_tasks(std::vector<tree_line>& out, const run_model& model, std::uint32_t index,
                  std::size_t lines_max) {
  const auto& plan = model.plans()[index];
  const chosen shown = choose_tasks(plan, lines_max);
  state_counts hidden = plan.counts;
  for (const auto task : shown.tasks) {
    out.push_back({.kind = tree_line::row_kind::task,
                   .plan = index,
                   .task = task,
                   .tracker = 0,
                   .hidden = {}});
    --counter_of(hidden, plan, plan.tasks[task]);
    if (std::binary_search(shown.with_trackers.begin(), shown.with_trackers.end(), task))
      for (std::uint32_t t = 0; t < tracker_lines(plan, task); ++t)
        out.push_back({.kind = tree_line::row_kind::tracker,
                       .plan = index,
                       .task = task,
                       .tracker = t,
                       .hidden = {}});
  }
  if (shown.folded && hidden.total() > 0)
    out.push_back({.kind = tree_line::row_kind::folded_tasks,
                   .plan = index,
                   .task = 0,
                   .tracker = 0,
                   .hidden = hidden});
}

/// The plans that keep a line, ascending.
std::vector<std::uint32_t> choose_plans(const run_model& model, std::size_t lines_max) {
  std::vector<std::uint32_t> order(model.plans().size());
  std::iota(order.begin(), order.end(), 0U);
  if (order.size() <= lines_max)
    return order;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return weight(model.plans()[a]) > weight(model.plans()[b]);
  });
  order.resize(lines_max > 0 ? lines_max - 1 : 0);
  std::sort(order.begin(), order.end());
  return order;
}

/// Shares `lines` among the plans: open ones get what they want as far as it goes, evenly; closed
/// ones all they want or nothing.
std::vector<std::size_t> share(const run_model& model, const std::vector<std::uint32_t>& plans,
                               std::size_t lines) {
  std::vector<std::size_t> given(plans.size(), 0);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (is_open(model.plans()[plans[i]]))
      open.push_back(i);
  std::sort(open.begin(), open.end(), [&](std::size_t a, std::size_t b) {
    return wanted(model.plans()[plans[a]]) < wanted(model.plans()[plans[b]]);
  });
  for (std::size_t k = 0; k < open.size(); ++k) {
    const std::size_t even = lines / (open.size() - k);
    given[open[k]] = std::min(wanted(model.plans()[plans[open[k]]]), even);
    lines -= given[open[k]];
  }
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const auto& plan = model.plans()[plans[i]];
    if (!is_open(plan) && wanted(plan) <= lines) {
      given[i] = wanted(plan);
      lines -= given[i];
    }
  }
  return given;
}

} // namespace

std::vector<tree_line> lay_out(const run_model& model, std::size_t lines_max) {
  std::vector<tree_line> out;
  if (lines_max == 0 || model.plans().empty())
    return out;
  std::size_t open_lines = 0;
  for (const auto& plan : model.plans())
    open_lines += is_open(plan) ? wanted(plan) : 0;
  // Plans take what the open tasks leave, and at least half.
  const std::size_t for_plans =
      std::max<std::size_t>(1, lines_max - std::min(lines_max / 2, open_lines));
  const auto shown = choose_plans(model, for_plans);
  const bool folded = shown.size() < model.plans().size();
  const auto given = share(model, shown, lines_max - shown.size() - (folded ? 1 : 0));
  state_counts hidden;
  for (const auto& plan : model.plans())
    add_plan_to(hidden, plan);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const auto& plan = model.plans()[shown[i]];
    out.push_back({.kind = tree_line::row_kind::plan,
                   .plan = shown[i],
                   .task = 0,
                   .tracker = 0,
                   .hidden = {}});
    append_tasks(out, model, shown[i], given[i]);
    state_counts own;
    add_plan_to(own, plan);
    hidden.pending -= own.pending;
    hidden.working -= own.working;
    hidden.completed -= own.completed;
    hidden.failed -= own.failed;
    hidden.skipped -= own.skipped;
  }
  if (folded)
    out.push_back({.kind = tree_line::row_kind::folded_plans,
                   .plan = 0,
                   .task = 0,
                   .tracker = 0,
                   .hidden = hidden});
  return out;
}

} // namespace troupe
