// One plan while it runs: from its start until it is completed or failed. Asks plan_graph which
// tasks may begin, spawns an actor for each, hears of their ends, and tells its objective. What
// becomes of the plan itself is decided by protocol/fold/plan_life.hpp.
//
// Spawned by the objective actor, new or after a restart. The same code does both: the summaries of
// the tasks show what is done. While it runs, no other actor has them; its objective gets them back
// when the plan ends.
#pragma once

#include "actors/environment.hpp"
#include "actors/graph/objective_graph.hpp"
#include "actors/graph/plan_graph.hpp"
#include "actors/messages.hpp"
#include "actors/plan/open_calls.hpp"
#include "actors/plan/pause_log.hpp"
#include "actors/task/task_actor.hpp"
#include "protocol/fold/apply.hpp"
#include "protocol/fold/plan_life.hpp"
#include "protocol/fold/plan_shape.hpp"
#include <troupe/protocol/event.hpp>

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace troupe {

/// What a plan actor begins with.
struct plan_start {
  std::uint32_t index = 0;
  plan_view view;                                ///< State, shape and summaries as committed.
  std::shared_ptr<const resolved_plan> resolved; ///< As the plan was accepted.
  std::vector<std::uint32_t> awaited_later; ///< Tasks that plans wait for which were added since.
  std::string context;
  std::string owner;
  std::string objective_name;
  objective_handle objective;
  throttle_handle slots;
  std::vector<dependency_news> news; ///< About tasks of other plans, from before the start.
  std::optional<plan_end> end{};     ///< Set: it ends so, and begins nothing.
  trace_ptr trace;
  message_ptr references;           ///< Of the objective.
  std::shared_ptr<made_bytes> made; ///< The same.
  std::int32_t objective_priority = 0;
  std::optional<timestamp> objective_deadline{};
};

struct plan_actor {
  using handle = plan_handle;
  static inline const char* name = "troupe.plan";

  plan_actor(actor_pointer<handle> self, environment& env, plan_start start);
  plan_actor(const plan_actor&) = delete;
  plan_actor& operator=(const plan_actor&) = delete;
  ~plan_actor();

  actor_behavior<handle> make_behavior();

private:
  void begin();
  void forget_questions_asked_again();

  // -- tasks --------------------------------------------------------------------------------------
  void release(std::vector<std::uint32_t> ready);
  void abandon_withdrawn();
  void spawn_ready();
  [[nodiscard]] bool has_room_now() const;
  void release_later();
  struct ready_task;
  void put_in_line(const ready_task& ready);
  void spawn_task(const ready_task& ready, bool in_line);
  [[nodiscard]] bool request_slots_for(const task_ready_again& task, timestamp since);
  [[nodiscard]] std::int32_t priority_of(std::uint32_t task) const;
  [[nodiscard]] std::vector<dependency_ref> dependencies_of(std::uint32_t task) const;
  [[nodiscard]] const dependency_news* outside(std::uint32_t task,
                                               const task_position& other) const;
  void on_settled(const task_settled& fact);
  void on_waits(const task_waits& fact);
  void on_ready_again(const task_ready_again& fact);
  void go_on_with(const task_ready_again& task);
  void set_parked(std::uint32_t task, bool parked);
  void on_task_moved(std::uint32_t task, const task_moved& moved, timestamp at);
  void count(std::uint32_t task);
  void uncount(std::uint32_t task);
  void fail_task(std::uint32_t task, const std::string& reason);
  void follow_withdrawal(std::uint32_t task, const std::string& reason);
  /// Why tasks end that have no actor.
  struct withdrawal_order {
    std::string reason;
    boost::json::object metadata{};  ///< Of the request, if there was one.
    std::optional<std::string> by{}; ///< Who commanded it.
    committed_fn then{};
    std::vector<once_ptr> conditions{}; ///< Of the change, if it is about one task.
    task_event as = task_event::cancel;
    std::vector<artifact_ptr> artifacts{};
  };
  void withdraw(const std::vector<std::uint32_t>& tasks, const withdrawal_order& order);
  void end_without_actor(std::uint32_t task, const withdrawal_order& order);
  void cancel_one(const task_cancel& command);
  /// Of tasks up to `from` it has noted the deadline already.
  void note_deadlines(std::uint32_t from);
  void note_deadline(std::uint32_t task);
  void mind_deadlines();
  void on_deadline();
  void end_late(std::uint32_t task);
  [[nodiscard]] bool is_late(std::uint32_t task) const;

  // -- neighbours ---------------------------------------------------------------------------------
  void on_news(const dependency_news& fact);
  [[nodiscard]] bool take_news(const dependency_news& fact);
  void tell_awaited(std::uint32_t task, bool met);
  void on_awaited(const tasks_awaited& message);

  // -- changes by its own tasks, and the tasks that these call (plan_actor_calls.cpp) --------------
  /// What an earlier process has added.
  struct change_before {
    std::vector<std::uint32_t> tasks{};
    change_report report{};
  };
  void on_change_wanted(change_wanted& wanted);
  [[nodiscard]] change_plan command_of(change_wanted& wanted) const;
  [[nodiscard]] std::optional<change_before> made_before(const change_plan& command);
  void tell_callers();
  void end_calls(std::uint32_t caller);
  [[nodiscard]] std::uint32_t count_calling() const;

  // -- its shape ----------------------------------------------------------------------------------
  void on_reshape(const reshape_tasks& message);
  void on_objective(const objective_news& message);
  void follow(const plan_changed& changed);
  void follow_tasks(const plan_changed& changed, std::vector<std::uint32_t>& freed);
  /// Those of the change's tasks of which something runs, or has run, are told to end or to hurry.
  /// `ended` makes the reply of one that is told to end.
  void tell_tasks(const plan_changed& changed, const std::function<reply_port<task_ptr>()>& ended);
  void end_by_change(std::uint32_t task, withdrawal_order order,
                     const std::function<reply_port<task_ptr>()>& ended);
  [[nodiscard]] shape_terms own_terms(shape_terms terms) const;
  [[nodiscard]] std::uint32_t count_lost() const;
  [[nodiscard]] bool is_removed(std::uint32_t task) const {
    return view_.spec->tasks[task].is_removed;
  }
  void make_scope();

  // -- the plan itself ----------------------------------------------------------------------------
  void close(plan_state to, const std::string& reason, const cancel_leaves_ptr& leaves = nullptr);
  void pause(const pause_plan& command);
  void check();
  void tell_activity();
  void on_input(task_input& message);
  [[nodiscard]] task_tally tally() const;
  void move(const std::vector<plan_moved>& moves);
  [[nodiscard]] change change_of(std::vector<event> events);
  [[nodiscard]] error refusal_of_input(std::uint32_t task) const;
  [[nodiscard]] std::string label(std::uint32_t task) const;
  [[nodiscard]] bool has_begun(std::uint32_t task) const {
    return view_.tasks[task].state != task_state::unspecified;
  }

  /// A task that is free to begin, and since when.
  struct ready_task {
    std::uint32_t task;
    timestamp since;
  };

  actor_pointer<handle> self_;
  environment& env_;
  plan_start start_;
  std::shared_ptr<const plan_environment> plan_;
  plan_graph graph_;
  plan_view& view_; ///< Changes by what this submits and by what its tasks have committed.
  std::optional<plan_shape> shape_;  ///< Made with the first change of it.
  std::vector<task_handle> running_; ///< By task; null if it has no actor.
  std::vector<bool>
      parked_; ///< By task: it has an actor, does not run and holds no slot (task_waits).
  std::vector<task_run> runs_;               ///< By task, as long as it has an actor.
  std::deque<ready_task> ready_;             ///< Released, not yet started (maxParallel, a pause).
  std::deque<task_ready_again> ready_again_; ///< Parked tasks that are ready to go on. They go
                                             ///< before those that have not begun.
  std::unordered_map<std::uint32_t, std::map<task_position, dependency_news>>
      outside_; ///< Completed tasks of other plans, by the task that waits.
  pause_log pauses_;
  open_calls calls_;
  std::unordered_set<std::uint32_t> awaited_;               ///< Tasks that other plans wait for.
  std::set<std::pair<timestamp, std::uint32_t>> deadlines_; ///< Of tasks; still to come.
  std::uint32_t running_count_ = 0;
  /// They have settled, and their agents have yet to stop. Not those from before the plan was tried
  /// again: they told another actor.
  std::uint32_t stopping_count_ = 0;
  std::uint32_t asking_count_ = 0;
  std::uint32_t parked_count_ = 0;
  std::uint32_t holding_count_ = 0; ///< Of those that ask, the ones that are not parked.
  std::uint32_t failed_count_ = 0;
  bool artifacts_around_ =
      false; ///< Some task here, or one outside that is waited for, has artifacts.
  bool release_pending_ =
      false; ///< A release_more is on its way; nothing is released before it comes.
  std::optional<plan_end> end_;       ///< If set: releases no task; ends so after the last one.
  std::optional<std::string> end_by_; ///< Who asked for `end_`, if it was asked for.
  std::string failure_;               ///< Of the first task that failed.
  plan_activity reported_activity_{}; ///< What the objective knows.
};

} // namespace troupe
