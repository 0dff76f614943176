// Progress of plans and objectives: what their tasks have done, rolled up. Called by the sources of
// protocol/fold/apply.hpp around each event; pure.
//
// A fraction is the sum of weight times fraction of the tasks that count, divided by the sum of
// their weights. The weight is `expectedSeconds` of the task, else the median of those that are
// known in the objective, else 1. A completed task counts whole; one that works or asks counts what
// it said last, at most 0.99, and after it has failed or was canceled what it said before; one that
// has not begun counts 0. Skipped tasks do not count, nor do skipped plans, alternatives that have
// not begun, and failed plans of which an alternative has begun. What is shown is 1 when the plan
// or objective has completed, and less before. It does not go back within a revision. An
// alternative that begins is a new revision (protocol/fold/objective_life.cpp).
#pragma once

#include <troupe/protocol/event.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/progress.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace troupe {

// -- reading --------------------------------------------------------------------------------------

[[nodiscard]] rolled_up progress_of(const objective_view& view);
[[nodiscard]] rolled_up progress_of(const objective_view& view, std::uint32_t plan);

/// The same as a report of the Task Progress extension: a tracker for each plan that runs, the
/// first progress_trackers_max of them, and all together as the aggregate. In percent.
[[nodiscard]] progress_report report_of(const objective_view& view);

/// How far a task is that says this, in millionths: the mean of its trackers that have a total, or
/// the aggregate if that has one. At most 990,000.
[[nodiscard]] std::uint32_t fraction_of(const progress_report& report);

// -- keeping --------------------------------------------------------------------------------------
// Each does nothing to a view that keeps no roll-up.

/// What these tasks of a plan add to the sums.
[[nodiscard]] rollup_sums sums_of(const objective_view& view, const plan_view& plan,
                                  std::span<const std::uint32_t> tasks);
/// Tasks of a plan have changed: they added `less`, and add `more` now.
void change_sums(objective_view& view, plan_view& plan, const rollup_sums& less,
                 const rollup_sums& more);
/// The expected times of tasks change with the shape of their plan: they are taken out before that,
/// and put in again after it.
void take_out_times(objective_view& view, const plan_view& plan,
                    std::span<const std::uint32_t> tasks);
void put_in_times(objective_view& view, const plan_view& plan,
                  std::span<const std::uint32_t> tasks);

/// A task has said how far it is, or begins anew.
void set_reached(plan_view& plan, std::uint32_t task, std::uint32_t fraction);

/// A plan has moved, `from` another state: what counts may be others now.
void count_plans(objective_view& view, std::uint32_t plan, plan_state from);
/// A plan was added: the last one.
void add_to_rollup(objective_view& view);
/// Everything anew, from the specs, the summaries of tasks, and what tasks have said. What was held
/// stays. Linear in the tasks.
void sum_up(objective_view& view);

} // namespace troupe
