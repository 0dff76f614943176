// One task while it lives: from its release to its terminal state. Hands the work to the agent, turns what the agent reports into committed
// facts, keeps attempts, backoff and time-outs, and tells its plan when it is over. Its states are protocol/task_state.hpp's table.
//
// Runs on the scheduler's threads. If it dies of anything unforeseen, its destructor records the failure and tells the plan.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/environment.hpp"
#include "actors/handles.hpp"
#include "protocol/event.hpp"
#include "protocol/progress_merger.hpp"

namespace troupe {

/// How often progress becomes a committed fact at most; what comes faster is merged, the last value is never lost.
inline constexpr std::chrono::milliseconds progress_interval{1000 / progress_updates_per_second_max};

/// A completed task another one depends on.
struct dependency_ref {
  task_id id;
  std::string key;
  std::string name;
  std::vector<std::string> called{}; ///< See dependency_result.
};

/// What all tasks of one plan have in common.
struct plan_scope {
  plan_spec_ptr spec;
  std::uint32_t plan_index = 0;
  std::string context; ///< The objective's id.
  std::string owner;   ///< The objective's.
  std::string objective_name;
  plan_handle plan;
  throttle_handle slots; ///< The objective's `maxParallel`; may be null.
};

/// What a task actor begins with. Either `scope` (a plan's task) or `request` (a lone one) is set.
struct task_start {
  std::shared_ptr<const plan_scope> scope;
  std::uint32_t task_index = 0;
  std::uint32_t generation = 0; ///< Of a plan's task: see task_slot.
  std::string agent;
  std::vector<dependency_ref> dependencies;

  task_id id;           ///< Of a lone task.
  std::string context;  ///< Of a lone task.
  std::string owner;    ///< Of a lone task.
  message_ptr request;  ///< Of a lone task.
  boost::json::object request_metadata;
  std::vector<std::string> accepted_output_modes; ///< Of a lone task.
  std::string traceparent;
  watcher_ptr follow;
  reply_port<sent> done;

  bool exists = false;         ///< Its record is there already: the process ended while it ran or, without attempts, waited.
  std::uint32_t attempts = 0;  ///< Attempts it has had.
};

struct task_actor {
  using handle = task_handle;
  static inline const char* name = "troupe.task";

  task_actor(actor_pointer<handle> self, environment& env, task_start start);
  task_actor(const task_actor&) = delete;
  task_actor& operator=(const task_actor&) = delete;
  ~task_actor();

  void begin();
  void on(provide_input& what) { on_input(what); }
  void on(cancel_run& what) { cancel(what); }
  void on(agent_reported& what);
  void on(task_timer& what);
  void on(begin_committed& what);
  void on(slot_granted& what);

private:
  // -- attempts --------------------------------------------------------------------------------------------------------
  void announce();
  void want_slots();
  void begin_attempt();
  void start_agent();
  void begin_time();
  void on_started(start_result what);
  /// An agent that throws has failed its attempt.
  void call_agent(const std::function<void()>& call);

  // -- what comes in ---------------------------------------------------------------------------------------------------
  void on_report(agent_report what);
  void on_timer(const task_timer& what);
  void cancel(const cancel_run& what);

  // -- what it is told (task_actor_messages.cpp) -----------------------------------------------------------------------
  void recall();
  void on_input(provide_input& what);
  void keep_input(message_ptr what);
  /// Its share of environment::live_bytes.
  [[nodiscard]] std::size_t told_bytes() const noexcept;
  [[nodiscard]] result<order_ptr> make_order() const;
  [[nodiscard]] std::vector<referenced_task> references_of(const std::vector<message_ptr>& messages) const;

  // -- how an attempt ends ---------------------------------------------------------------------------------------------
  void complete(report_completed what);
  void fail(report_failed what);
  void reject(report_rejected what);
  void reply(report_reply what);
  void wait_for_retry(std::chrono::milliseconds wait);
  void stop_agent(report_failed because);
  [[nodiscard]] bool stop_run();
  void begin_grace();
  void after_stop();
  void finish(task_event on, const std::string& text, const boost::json::object& metadata = {});
  void conclude(task_event on, const std::string& text, const boost::json::object& metadata = {});
  [[nodiscard]] committed_fn answer_to_cancel();
  void release();

  // -- facts (task_actor_facts.cpp) ------------------------------------------------------------------------------------
  [[nodiscard]] bool move(task_event on, message_ptr what);
  void add_artifact(report_artifact what);
  void add_progress(progress_report what);
  void show_progress_in_time();
  void flush_progress();
  void note_progress();
  void ask(const report_question& what);
  void ask_next();
  void ensure_created();
  void commit(committed_fn then = nullptr);
  [[nodiscard]] message_ptr status_message(const std::string& text, const boost::json::object& metadata = {}) const;

  // -- what it is ------------------------------------------------------------------------------------------------------
  void set_timer(task_timer::purpose kind, std::chrono::nanoseconds after);
  [[nodiscard]] committed_fn plan_told(bool waiting) const;
  [[nodiscard]] const retry_policy& retry() const;
  [[nodiscard]] task_id id() const;
  [[nodiscard]] const std::string& context() const;
  [[nodiscard]] const std::string& owner() const;
  [[nodiscard]] const std::string& agent_name() const;
  [[nodiscard]] restart_rule restart() const;
  [[nodiscard]] bool over() const noexcept { return is_terminal(state_); }
  /// Its attempt is being stopped.
  [[nodiscard]] bool is_stopping() const noexcept { return rest_ && rest_->stopping; }

  /// What only a lone task needs.
  struct conversation {
    task_id id;
    std::string context;
    std::string owner;
    message_ptr request;
    boost::json::object metadata;
    std::vector<std::string> accepted_output_modes;
    std::string traceparent;
    watcher_ptr follow;
    reply_port<sent> done;
  };

  /// What most tasks never need. A million tasks may be alive at once, so it is not part of each.
  struct occasional {
    std::vector<dependency_ref> dependencies;
    std::vector<message_ptr> inputs;
    std::size_t input_bytes = 0; ///< Of `inputs`.
    std::vector<report_question> questions; ///< Asked while another one is open.
    std::unique_ptr<progress_merger> progress; ///< Null: none was ever reported.
    timestamp progress_at{};  ///< When progress was last committed.
    std::optional<report_failed> stopping; ///< The agent was told to stop; this is how the attempt will have ended.
    reply_port<task_ptr> canceled; ///< Who asked to cancel it.
    bool progress_timer = false;
    bool progress_refused = false; ///< And that was logged.
  };
  [[nodiscard]] occasional& rest();

  actor_pointer<handle> self_;
  environment& env_;
  std::shared_ptr<const plan_scope> scope_;
  std::unique_ptr<conversation> lone_;
  std::unique_ptr<occasional> rest_; ///< May be null; `rest()` makes it.
  agent* agent_;                     ///< The registry's; null if there is none of that name.
  agent_run_ptr run_;
  std::vector<event> pending_;     ///< Facts of this turn, not yet handed to the store.
  slot_ticket objective_slot_ = 0; ///< 0 = none wanted.
  slot_ticket agent_slot_ = 0;
  std::uint32_t task_index_ = 0;
  std::uint32_t attempt_ = 0;
  std::uint32_t failures_ = 0;
  std::uint32_t artifacts_made_ = 0;
  std::uint32_t generation_ = 0;
  std::uint32_t timeouts_set_ = 0; ///< Timers of this attempt's time that have not gone off. Only the last one counts.
  task_state state_ = task_state::submitted;
  bool created_ = false; ///< The record exists, or its creation is in pending_.
  bool has_artifacts_ = false;
  bool quit_after_stop_ = false;
  bool between_attempts_ = false; ///< The last one has failed, the next has not begun: what the last one reports or its timers say is late.
};

} // namespace troupe
