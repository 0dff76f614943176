// Whether an objective may be changed as a command wants it, and the result: plain values, pure.
// And what may be edited at all, of an objective or a plan.
#pragma once

#include "protocol/fold/plan_order.hpp"
#include <troupe/protocol/command.hpp>
#include <troupe/protocol/edits.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/spec.hpp>
#include <troupe/protocol/time.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace troupe {

/// How plans stand to each other; or why they cannot: a cycle, through their tasks too.
using relate_plans =
    std::function<result<std::vector<plan_relations>>(const std::vector<plan_spec_ptr>&)>;

struct objective_shape_decision {
  objective_changed changed;
  std::vector<plan_added> added{};                        ///< They come before `changed`.
  std::optional<std::vector<plan_relations>> relations{}; ///< Set if they have changed.
};

/// The events that do all that `command` wants, or why nothing is done: the error's field names
/// the operation (`/operations/3`). Its `if_revision` is not looked at. Its new plans are named and
/// resolved, and `added` has their relations in the same order. `relate` is asked once, last, if
/// dependencies change. `order` follows the plans of `view`. Errors: unknown_dependency (no such
/// plan), already_started, already_ended, still_needed, dependency_failed, dependency_cycle,
/// invalid_params, limit_exceeded, and those of `relate`.
[[nodiscard]] result<objective_shape_decision>
decide(const objective_view& view, const plan_order& order, const modify_objective& command,
       const std::vector<plan_relations>& added, const relate_plans& relate, timestamp now);

/// Why the fields of the objective, or of one plan, cannot be edited so; the field is the member.
[[nodiscard]] std::optional<error> check_edits(const objective_view& view, const edits& wanted);
[[nodiscard]] std::optional<error> check_edits(const objective_view& view, std::uint32_t plan,
                                               const edits& wanted);
/// A deadline that has passed already would end at once what it is set for.
[[nodiscard]] std::optional<error> check_deadline(const std::optional<deadline_edit>& wanted,
                                                  timestamp now);

/// The first deadline after `after`, of the objective or of one of its plans. Linear in the plans.
[[nodiscard]] std::optional<timestamp> next_deadline(const objective_view& view, timestamp after);

} // namespace troupe
