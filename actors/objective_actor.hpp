// One objective while it lives: starts plans when their turn comes, hears how they end, lists what waits for people, and answers
// objectives/update, plans/create and plans/update. What is to happen next is decided by objective_graph's `decide`; this carries it out.
// Its states are protocol/plan_state.hpp's table.
//
// Spawned by the gateway for a new objective, for one that an earlier process left unfinished, and for a settled one that is to be retried.
// Ends when the objective is settled.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/environment.hpp"
#include "actors/handles.hpp"
#include "actors/objective_graph.hpp"
#include "protocol/event.hpp"

namespace troupe {

/// The `agent` of a root task: nobody does it, it stands for an objective.
inline constexpr std::string_view objective_agent = "objective";

/// The state of the root task, which shows the objective as an A2A task.
[[nodiscard]] task_state root_state(objective_state of) noexcept;
/// The root task moves with its objective. `words` and `metadata` are of its status message; without words there is none.
[[nodiscard]] change root_moved(const objective_view& of, objective_state to, std::string words, boost::json::object metadata, timestamp at);

/// What an objective actor begins with.
struct objective_start {
  objective_view view; ///< As committed, or as it shall be created.
  std::shared_ptr<const resolved_objective> resolved;
  objective_spec_ptr create; ///< Set: the objective does not exist yet.
  bool start = false;        ///< With `create`: move it to working at once.
  message_ptr request;       ///< With `create`: a root task shall stand for it.
  watcher_ptr follow;
  reply_port<objective_ptr> done;
};

struct objective_actor {
  using handle = objective_handle;
  static inline const char* name = "troupe.objective";

  objective_actor(actor_pointer<handle> self, environment& env, objective_start start);
  objective_actor(const objective_actor&) = delete;
  objective_actor& operator=(const objective_actor&) = delete;
  ~objective_actor();

  actor_behavior<handle> make_behavior();

private:
  void hold(const plan_spec& plan);
  void begin();
  void create();

  // -- plans -----------------------------------------------------------------------------------------------------------
  void advance();
  void start_plan(std::uint32_t plan);
  void on_settled(const plan_settled& what);
  void on_waits(const plan_waits& what);
  void on_standing(const plan_standing& what);
  void show_waiting();
  void on_outward(const outward_news& what);
  void remember_outward(std::uint32_t plan);
  void catch_up(std::uint32_t plan);
  [[nodiscard]] dependency_news news_of(const outward_news& what, std::uint32_t dependent) const;
  void pass_on(const task_position& to, dependency_news news);

  // -- commands (objective_actor_commands.cpp) -------------------------------------------------------------------------
  void on_change(const change_objective& what);
  [[nodiscard]] result<void> may_change_state(objective_state to) const;
  void change_state(objective_state to);
  void pause_or_go_on(objective_state to);
  void note_pause(bool paused, std::optional<std::uint32_t> plan = std::nullopt);
  void on_add(const add_plan& what);
  void on_change_plan(const change_plan& what);
  [[nodiscard]] result<void> change_plan_state(std::uint32_t plan, plan_state to);
  void on_input(objective_input& what);
  void on_cancel(const objective_cancel& what);
  void withdraw(std::uint32_t plan, std::vector<std::uint32_t> tasks, const std::string& reason, const boost::json::object& metadata);
  void withdraw_all(std::uint32_t plan, const std::string& reason);
  void end_unbegun(std::uint32_t plan, plan_state to);
  void renew(std::uint32_t plan);
  void renew_dependents(std::uint32_t plan);

  // -- the objective itself --------------------------------------------------------------------------------------------
  void close_all(objective_state to, const std::string& reason);
  void close_if_quiet();
  void move(objective_state to, const std::string& reason);
  void move_plan(std::uint32_t plan, plan_state to, const std::string& reason, bool requested = false);
  void move_root(objective_state to, const std::string& reason);
  [[nodiscard]] task_ptr root_record() const;
  void commit(committed_fn then = nullptr);
  /// As it is now; the memory store may have let it go between a command and its commit.
  [[nodiscard]] static result<objective_ptr> as_committed(const store& records, const objective_id& id);
  void write(change what, committed_fn then);
  void quit_if_settled();
  [[nodiscard]] std::size_t active() const;

  actor_pointer<handle> self_;
  environment& env_;
  objective_view view_; ///< Slots of plans that run are their plan actor's business and not kept here.
  std::shared_ptr<const resolved_objective> resolved_;
  objective_start start_;
  std::vector<plan_state> states_;
  std::vector<plan_handle> running_; ///< By plan; null if it has no actor.
  std::vector<bool> waiting_;        ///< By plan: it waits for people.
  std::vector<plan_standing> standing_; ///< By plan: how else it stands, while it runs.
  std::vector<bool> behind_;         ///< By plan: its slots in `view_` are those with which its actor began.
  std::map<std::pair<std::uint32_t, std::uint32_t>, outward_news> outward_; ///< What became of tasks other plans wait for.
  throttle_handle slots_;
  std::vector<event> pending_;
  std::vector<reply_port<task_ptr>> cancelers_; ///< Who asked to cancel the root task.
  std::vector<reply_port<objective_ptr>> closers_; ///< Who asked for the objective's end; answered once it has come.
  std::map<std::uint32_t, std::vector<reply_port<plan_id>>> plan_closers_; ///< By plan: who asked for its end; answered once it has come.
  std::size_t plan_bytes_ = 0; ///< Its share of environment::live_bytes.
  std::size_t unwritten_ = 0; ///< Changes of a settled objective that are not durable yet.
  boost::json::object cancel_metadata_;         ///< Of the request that cancels the root task.
};

} // namespace troupe
