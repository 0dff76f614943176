// Operations of a change of an objective, while it runs or before: its fields and those of its
// plans, which plans are needed, and in which order. As the command wants them, and as the event
// applies them.
#pragma once

#include <troupe/protocol/edits.hpp>
#include <troupe/protocol/plan_change.hpp>
#include <troupe/protocol/spec.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace troupe {

/// Fields of the objective itself. What is absent stays.
struct edit_objective {
  edits edited{};
  std::optional<deadline_edit> deadline{};
  std::optional<std::int32_t> priority{};
  std::optional<std::uint32_t> parallel_max{}; ///< 0: no limit.
};

// `Plan` names a plan. In a command it is a text: an id, a key, a position as `plan-3`, or a name
// that one plan has. In an event it is the position.

/// Fields of one plan.
template<class Plan>
struct edit_plan_of {
  Plan plan;
  edit_plan edit{};
};

/// The plan is not needed. In an event, plan_moved follows for one that has not begun.
template<class Plan>
struct skip_plan {
  Plan plan;
  bool cancel = false; ///< Of a command: also if it works.
};

/// `plan` begins only after all of `on` have completed, and waits for no other plan.
template<class Plan>
struct set_plan_dependencies {
  Plan plan;
  std::vector<Plan> on{};
};

/// One more plan. In an event it is plan_added, which comes before.
struct new_plan {
  std::shared_ptr<plan_spec> spec; ///< Handed over: the objective names it before it is shared.
  bool start = false;              ///< As in create_plan.
  /// What later operations of the same command may call it, too. May be empty.
  std::string as{};
};

/// A plan that has not begun, and on which no other depends, is taken out.
template<class Plan>
struct remove_plan {
  Plan plan;
};

using wanted_objective_operation =
    std::variant<edit_objective, edit_plan_of<std::string>, skip_plan<std::string>,
                 set_plan_dependencies<std::string>, new_plan, remove_plan<std::string>>;
using applied_objective_operation =
    std::variant<edit_objective, edit_plan_of<std::uint32_t>, skip_plan<std::uint32_t>,
                 set_plan_dependencies<std::uint32_t>, remove_plan<std::uint32_t>>;

/// The plan that an operation is about; nothing: the objective itself.
[[nodiscard]] std::optional<std::uint32_t>
plan_of(const applied_objective_operation& operation) noexcept;

/// About their size in memory, in bytes, for limits.
[[nodiscard]] std::size_t
bytes_of(const std::vector<wanted_objective_operation>& operations) noexcept;
[[nodiscard]] std::size_t
bytes_of(const std::vector<applied_objective_operation>& operations) noexcept;

} // namespace troupe
