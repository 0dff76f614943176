// The life of an objective: decides how it moves, as a plain value. Its actor passes in commands
// and the reports of plans, commits the events that are returned, and carries out the effects; it
// decides nothing itself. The states and their moves are the tables of plan_state.hpp; blocked,
// over, and which plan may begin are derived from the view.
//
// While a plan runs, only its own actor has the summaries of its tasks (lend, take_back): they
// exist once.
#pragma once

#include "protocol/fold/objective_shape.hpp"
#include "protocol/fold/plan_order.hpp"
#include "protocol/fold/plan_shape.hpp"
#include <troupe/protocol/command.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/objective.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace troupe {

// -- what goes in --------------------------------------------------------------------------------

/// The objective comes into being. `start`: it is working at once; objective_goes_on begins its
/// plans.
struct objective_begins {
  objective_created created;
  bool start = false;
};
/// The objective was created, or loaded: after a restart, or because of a command after its end.
struct objective_goes_on {};

struct plan_update {
  std::uint32_t plan;
  std::optional<plan_state> to;
  std::optional<std::uint64_t> revision;
  edits edited{};
};
/// `plans/create`. The spec is named and its dependencies are resolved.
struct plan_addition {
  plan_spec_ptr spec;
  plan_relations relations;
  bool start = false;
  bool starts_objective = false; ///< As in create_plan.
  std::optional<std::uint64_t> revision{};
};
/// Changes the shape of a plan: here before it runs, else its own actor does (change_running_plan).
struct shape_change {
  std::uint32_t plan;
  change_plan command;
  /// Its position, the revision and the time are filled in here.
  shape_terms terms;
};
/// Changes the objective, and plans of it.
struct objective_reshape {
  modify_objective command; ///< Its new plans are named, and their dependencies resolved.
  relate_plans relate;
  std::vector<plan_relations> added{}; ///< Of the new plans, in their order.
};
/// Cancels one task of a plan that has not begun.
struct task_withdrawal {
  std::uint32_t plan;
  std::uint32_t task;
  std::string reason;
  boost::json::object metadata;
};
/// Cancels the whole objective; if it has ended, nothing.
struct objective_cancellation {
  std::string reason;
};

/// A running plan has moved, and that is committed. All its moves, in order.
struct plan_progressed {
  std::uint32_t plan;
  std::vector<plan_moved> moves;
};
struct plan_activity_changed {
  std::uint32_t plan;
  plan_activity activity;
};
/// A plan is over, and that is committed. The summaries of its tasks come back before (take_back).
struct plan_ended {
  std::uint32_t plan;
  std::vector<plan_moved> moves;
  chunked<task_summary> summaries;
};
/// The shape of a running plan has changed, and that is committed.
struct plan_reshaped {
  plan_changed changed;
};
/// A deadline, of the objective or of a plan, has passed.
struct deadline_passed {};
/// The running plans have received the results of tasks that they wait for, after `look_again`.
struct plans_told {};
/// A task of a running plan asks, or no longer does, and that is committed. The status message of a
/// task that asks may be shortened.
struct question_changed {
  task_address task;
  timestamp at;
  task_moved moved;
};

using objective_input =
    std::variant<objective_begins, objective_goes_on, update_objective, plan_update, plan_addition,
                 shape_change, objective_reshape, task_withdrawal, objective_cancellation,
                 plan_progressed, plan_activity_changed, plan_ended, plan_reshaped, deadline_passed,
                 plans_told, question_changed>;

// -- what comes out ------------------------------------------------------------------------------

/// What the actor is to do once the events are handed to the store, in this order.
struct start_plan {
  std::uint32_t plan;
};
struct pause_running_plan {
  std::uint32_t plan;
  bool paused;
};
struct end_running_plan {
  std::uint32_t plan;
  plan_state to;
  std::string reason;
};
/// Its actor decides whether its shape changes, and answers.
struct change_running_plan {
  std::uint32_t plan;
  shape_terms terms;
};
/// The running plans are told of a change of the objective, which may be about them.
struct tell_running_plans {
  std::shared_ptr<const objective_changed> changed;
};
using objective_effect = std::variant<start_plan, pause_running_plan, end_running_plan,
                                      change_running_plan, tell_running_plans>;

/// Of a plan that is `from` and is told to become `to`. errc::invalid_transition, of the status.
[[nodiscard]] error wrong_move(plan_state from, plan_state to);

/// When a command is answered.
enum class answer_after : std::uint8_t {
  commit,        ///< Everything decided so far is committed.
  plans_heard,   ///< The running plans that were paused or told to go on have done so.
  plan_end,      ///< The running plans that were told to end have ended.
  objective_end, ///< The objective has ended.
  plan_answers,  ///< Not by the objective: the plan answers.
};

struct objective_decision {
  std::optional<error> refused; ///< Then there is nothing else.
  std::vector<event> events;    ///< In order. Applied to the view already, with the time `at`.
  timestamp at{};
  std::vector<objective_effect> effects;
  /// Plans were skipped: whether the rest is stuck is known once those that wait for their tasks
  /// have been told. plans_told follows.
  bool look_again = false;
  answer_after answer = answer_after::commit;
  /// Of a change of the objective, or of the shape of a plan that does not run. A `dry_run` has no
  /// events.
  std::optional<change_report> report{};
};

// -- the life ------------------------------------------------------------------------------------

class objective_life {
public:
  objective_life(objective_view view, std::vector<plan_relations> relations);

  [[nodiscard]] const objective_view& view() const noexcept { return view_; }
  [[nodiscard]] const std::vector<plan_relations>& relations() const noexcept {
    return order_.relations();
  }

  /// What follows from `input`. The view changes by the events that come out, and by what its plans
  /// have committed; the same events give the same view elsewhere.
  [[nodiscard]] objective_decision decide(objective_input input, timestamp at);

  /// A plan that is started. The summaries of its tasks are with its actor until its end.
  [[nodiscard]] plan_view lend(std::uint32_t plan);
  void take_back(std::uint32_t plan, chunked<task_summary> summaries);
  /// Call this before a message that may release tasks of a running plan. The plan does not count
  /// as idle until it reports so again.
  void expect_progress(std::uint32_t plan);
  /// Plans that run.
  [[nodiscard]] std::size_t running() const noexcept { return order_.counts().running; }
  /// Plans that it has looked at to find what follows by itself.
  [[nodiscard]] std::size_t looked_at() const noexcept { return order_.looked_at(); }

private:
  friend struct objective_decider;

  objective_view view_;
  plan_order order_;                           ///< Follows the plans of the view.
  std::map<std::uint32_t, plan_shape> shapes_; ///< Of pending plans that were changed.
};

/// How the running plans of an objective end that is moved to `to` by request.
[[nodiscard]] constexpr plan_state plan_end_with(objective_state to) noexcept {
  return to == objective_state::completed ? plan_state::completed : plan_state::failed;
}

/// Whether nothing of the objective can go on before an answer or the end of a pause.
[[nodiscard]] bool is_stuck(const objective_view& view, const plan_counts& plans);

} // namespace troupe
