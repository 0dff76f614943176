// Which plans of an objective may begin, which are not needed any more, whether the objective is
// over, and what its plans do together: what follows from their states. A plain value that follows
// the plans, so that a step costs what has changed since the last one.
#pragma once

#include <troupe/protocol/plan_state.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace troupe {

/// How a plan stands to the others of its objective, as positions.
struct plan_relations {
  std::vector<std::uint32_t> dependencies; ///< Plans that must complete first.
  std::vector<std::uint32_t> alternatives; ///< Plans tried in this order when it fails.
  std::optional<std::uint32_t> alternative_of;
};

/// What a running plan does, beside its state: as it reported last.
struct plan_activity {
  bool idle = false;        ///< None of its tasks runs or may begin: it waits for other plans.
  std::uint32_t asking = 0; ///< Tasks that wait for an answer from outside and hold a slot of the
                            ///< objective meanwhile.

  friend bool operator==(const plan_activity&, const plan_activity&) = default;
};

/// It has begun and has not ended: an actor runs it.
[[nodiscard]] constexpr bool is_running(plan_state state) noexcept {
  return state == plan_state::working || state == plan_state::blocked;
}

/// What the plans of an objective add up to.
struct plan_counts {
  std::size_t pending = 0;
  std::size_t running = 0;
  std::size_t blocked = 0;  ///< Of those that run.
  std::size_t idle = 0;     ///< Of those that run, and are not blocked.
  std::uint64_t asking = 0; ///< Of those that run (plan_activity::asking).

  friend bool operator==(const plan_counts&, const plan_counts&) = default;
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

class plan_order {
public:
  /// All are pending.
  explicit plan_order(std::vector<plan_relations> plans);

  // -- what changes -------------------------------------------------------------------------------

  /// One more plan, pending. Its alternatives have had no primary. Costs its relations.
  void add(plan_relations relations);
  /// Costs the plans that depend on it, if it has ended or begins again.
  void set_state(std::uint32_t plan, plan_state state);
  void set_activity(std::uint32_t plan, const plan_activity& activity);
  /// It is no part of the objective any more: its end decides nothing. No other depends on it.
  void remove(std::uint32_t plan);
  /// The same plans with other dependencies and alternatives. Linear in the plans; the next step
  /// looks at every plan.
  void replace_relations(std::vector<plan_relations> relations);
  /// What is held has changed, or what could begin did not: the next step looks at every plan.
  void look_at_all();

  // -- what follows -------------------------------------------------------------------------------

  /// The steps that follow from what has changed since the last call; those that come first in the
  /// objective come first. Plans that are skipped count as skipped from then on. Plans for which
  /// `is_held` do not begin by themselves, nor are they skipped.
  [[nodiscard]] plan_steps next(const std::function<bool(std::uint32_t)>& is_held);
  /// Whether a dependency on `plan` is met, or may be later: it, or one of its alternatives, can
  /// still complete.
  [[nodiscard]] bool may_be_met(std::uint32_t plan) const;
  /// Whether a dependency on `plan` is met: it, or one of its alternatives, has completed.
  [[nodiscard]] bool is_met(std::uint32_t plan) const;
  /// Whether what the plan depends on is met and, if it is an alternative, its turn has come.
  [[nodiscard]] bool may_begin(std::uint32_t plan) const;

  [[nodiscard]] const std::vector<plan_relations>& relations() const noexcept { return relations_; }
  [[nodiscard]] const plan_activity& activity_of(std::uint32_t plan) const {
    return activity_[plan];
  }
  [[nodiscard]] const plan_counts& counts() const noexcept { return counts_; }
  /// Plans that it has looked at so far: what all steps have cost.
  [[nodiscard]] std::size_t looked_at() const noexcept { return looked_at_; }

private:
  enum class prospect : std::uint8_t { met, open, lost };

  void relate(std::uint32_t plan);
  void count(std::uint32_t plan, bool is_in);
  /// Calls `visit(plan)` for each plan whose turn may depend on how `plan` has ended.
  template<class Visit>
  void for_each_dependent(std::uint32_t plan, Visit visit) const;
  [[nodiscard]] prospect prospect_of(std::uint32_t plan) const;
  [[nodiscard]] prospect turn_of(std::uint32_t plan) const;
  [[nodiscard]] bool may_begin(std::uint32_t plan, std::string& why_skipped) const;
  [[nodiscard]] objective_state outcome() const;

  std::vector<plan_relations> relations_;
  std::vector<std::vector<std::uint32_t>> dependents_; ///< By plan: those that depend on it.
  std::vector<plan_state> states_;
  std::vector<plan_activity> activity_;
  std::set<std::uint32_t> removed_;
  std::set<std::uint32_t> changed_; ///< Plans whose turn may have come since the last step.
  plan_counts counts_;
  mutable std::size_t looked_at_ = 0;
};

} // namespace troupe
