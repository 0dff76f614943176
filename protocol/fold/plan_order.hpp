// Which plans of an objective may begin, which are not needed any more, and whether the objective
// is over: what follows from the states of its plans. Plain values, pure.
#pragma once

#include <troupe/protocol/plan_state.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// How a plan stands to the others of its objective, as positions.
struct plan_relations {
  std::vector<std::uint32_t> dependencies; ///< Plans that must complete first.
  std::vector<std::uint32_t> alternatives; ///< Plans tried in this order when it fails.
  std::optional<std::uint32_t> alternative_of;
};

/// What the plans' states call for while the objective goes on.
struct plan_steps {
  std::vector<std::uint32_t> start;
  struct skip {
    std::uint32_t plan;
    std::string reason;
  };
  std::vector<skip> skipped;
  /// Set when nothing runs and nothing can start any more: completed or failed. Never set for an
  /// objective without plans.
  std::optional<objective_state> outcome;
};

/// Pure: the same states give the same steps. Plans that are `held` (by plan; empty: none) do not
/// begin by themselves, nor are they skipped.
[[nodiscard]] plan_steps next_steps(const std::vector<plan_relations>& plans,
                                    const std::vector<plan_state>& states,
                                    const std::vector<bool>& held = {});

/// Whether a dependency on `plan` is met, or may be later: it, or one of its alternatives, can
/// still complete.
[[nodiscard]] bool may_be_met(const std::vector<plan_relations>& plans,
                              const std::vector<plan_state>& states, std::uint32_t plan);

/// Whether a dependency on `plan` is met: it, or one of its alternatives, has completed.
[[nodiscard]] bool is_met(const std::vector<plan_relations>& plans,
                          const std::vector<plan_state>& states, std::uint32_t plan);

} // namespace troupe
