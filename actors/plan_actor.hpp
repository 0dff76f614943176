// One plan while it runs: from its start until it is completed or failed. Asks plan_graph which tasks may begin, spawns an actor for each,
// hears of their ends, and tells its objective. Its states are protocol/plan_state.hpp's table.
//
// Spawned by the objective actor, fresh or with what an earlier process had reached: the same code path, the slots tell.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/environment.hpp"
#include "actors/handles.hpp"
#include "actors/objective_graph.hpp"
#include "actors/plan_graph.hpp"
#include "actors/task_actor.hpp"
#include "protocol/event.hpp"

namespace troupe {

/// What a plan actor begins with.
struct plan_start {
  std::uint32_t index = 0;
  plan_view view; ///< State and slots as committed.
  std::shared_ptr<const resolved_plan> resolved;
  std::string context;
  std::string owner;
  std::string objective_name;
  objective_handle objective;
  throttle_handle slots;
  std::vector<dependency_news> news; ///< About tasks of other plans, from before the start.
  std::optional<close_plan> closing{}; ///< Set: it ends so, and begins nothing.
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

  // -- tasks -----------------------------------------------------------------------------------------------------------
  void release(std::vector<std::uint32_t> ready);
  void give_up_withdrawn();
  void spawn_ready();
  void release_later();
  void spawn_task(std::uint32_t task);
  [[nodiscard]] std::vector<dependency_ref> dependencies_of(std::uint32_t task) const;
  [[nodiscard]] const dependency_news* outside(std::uint32_t task, const task_position& other) const;
  void on_settled(const task_settled& what);
  void on_waits(const task_waits& what);
  void lose(std::uint32_t task, const std::string& reason);
  void withdraw(const std::vector<std::uint32_t>& tasks, const std::string& reason, const boost::json::object& metadata = {},
                committed_fn then = nullptr);
  void end_begun(std::uint32_t task, const std::string& reason, const boost::json::object& metadata, committed_fn then);
  void cancel_one(const task_cancel& what);

  // -- neighbours ------------------------------------------------------------------------------------------------------
  void on_news(const dependency_news& what);
  void tell_outward(std::uint32_t task, bool met);
  void on_outward(const outward_changed& what);

  // -- the plan itself -------------------------------------------------------------------------------------------------
  void close(plan_state to, const std::string& reason);
  void pause(bool paused);
  void check();
  void tell_standing();
  void move(plan_state to, const std::string& reason, std::vector<event> before = {});
  [[nodiscard]] error refusal_of_input(std::uint32_t task) const;
  [[nodiscard]] std::string label(std::uint32_t task) const;
  [[nodiscard]] bool has_begun(std::uint32_t task) const { return slots_[task].state != task_state::unspecified; }

  actor_pointer<handle> self_;
  environment& env_;
  plan_start start_;
  std::shared_ptr<const plan_scope> scope_;
  plan_graph graph_;
  plan_state state_;
  std::vector<task_slot>& slots_;
  std::vector<task_handle> running_;       ///< By task; null if it has no actor.
  std::vector<bool> waiting_for_input_;
  std::deque<std::uint32_t> ready_;        ///< Free to begin, held back by maxParallel or a pause.
  std::unordered_map<std::uint32_t, std::map<task_position, dependency_news>> outside_; ///< Completed tasks of other plans, by the task that waits.
  std::vector<outward_edge> outward_;
  std::uint32_t running_count_ = 0;
  std::uint32_t waiting_count_ = 0;
  std::uint32_t failed_count_ = 0;
  bool artifacts_around_ = false; ///< Some task here, or one outside that is waited for, has artifacts.
  bool paused_ = false;
  bool release_pending_ = false; ///< A release_more is on its way; nothing is released before it comes.
  bool closing_ = false;          ///< Releases nothing more; ends as `closing_to_` when the last actor is gone.
  plan_state closing_to_ = plan_state::failed;
  std::string closing_reason_;
  plan_standing told_{}; ///< What the objective knows.
};

} // namespace troupe
