// What apply_plan.cpp and apply_objective.cpp have in common: fields that are edited, deadlines,
// and the choice of the function for an event. Included by these two sources only.
#pragma once

#include "protocol/fold/apply.hpp"
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/objective.hpp>

#include <optional>
#include <variant>

namespace troupe {

/// What is tried again has only a deadline that it can keep.
inline bool has_passed(const std::optional<timestamp>& deadline, timestamp now) noexcept {
  return deadline && *deadline <= now;
}

/// With the start, seconds that count from it are a deadline. Of two the earlier one counts.
template<class Of>
void begin_deadline(Of& of, timestamp start) {
  const timestamp due = start + of.deadline_after;
  if (!of.deadline || due < *of.deadline)
    of.deadline = due;
}

/// A deadline that is set in place of all earlier ones.
template<class Of>
void set_deadline_of(Of& of, const std::optional<timestamp>& deadline) {
  of.deadline = deadline;
  of.deadline_after = milliseconds{0};
}

/// Null too while the plan's summaries have another holder.
inline task_summary* summary_of(plan_view& plan, const task_address& task) noexcept {
  return task.task_index < plan.tasks.size() ? &plan.tasks.edit(task.task_index) : nullptr;
}

/// An objective, or the spec of a plan.
template<class Edited>
void edit_fields(Edited& to, const edits& wanted) {
  if (!wanted.name.empty())
    to.name = wanted.name;
  if (!wanted.description.empty())
    to.description = wanted.description;
  merge_metadata(to.metadata, wanted.metadata);
}

inline void edit_fields_of(plan_spec& spec, const edit_plan& wanted) {
  edit_fields(spec, wanted.edited);
  if (wanted.parallel_max)
    spec.parallel_max = *wanted.parallel_max;
  if (wanted.failure)
    spec.failure = *wanted.failure;
  if (wanted.deadline)
    set_deadline_of(spec, wanted.deadline->at);
  if (wanted.priority)
    spec.priority = *wanted.priority;
}

/// `view` with those kinds of events that it has a function for.
template<class View>
void apply_one(View& view, const change& where, const event& one) {
  std::visit(
      [&](const auto& kind) {
        if constexpr (requires { apply(view, where, kind); })
          apply(view, where, kind);
      },
      one);
}

} // namespace troupe
