// One task while it lives: from its release to its terminal state. Hands the work to the agent,
// turns what the agent reports into committed facts, keeps backoff and time-outs, and tells its
// plan when it is over. What becomes of it is decided in task_decision.hpp, over its life
// (include/troupe/protocol/task_life.hpp), which only events change; this carries the decisions
// out.
//
// Runs on the scheduler's threads. If it dies of anything unforeseen, its destructor records the
// failure and tells the plan.
#pragma once

#include "actors/environment.hpp"
#include "actors/messages.hpp"
#include "actors/task/made_bytes.hpp"
#include "actors/task/task_decision.hpp"
#include "actors/task/wanted_changes.hpp"
#include "protocol/fold/apply.hpp"
#include "protocol/progress_merger.hpp"
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/trace.hpp>

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// How often progress becomes a committed fact at most; what comes faster is merged, the last value
/// is never lost.
inline constexpr std::chrono::milliseconds progress_interval{1000
                                                             / progress_updates_per_second_max};

/// A completed task another one depends on.
struct dependency_ref {
  task_id id;
  std::string key;
  std::string name;
  std::vector<std::string> called{}; ///< See dependency_result.
};

/// What all tasks of one plan have in common.
struct plan_environment {
  plan_spec_ptr spec;
  std::uint32_t plan_index = 0;
  std::string context; ///< The objective's id.
  std::string owner;   ///< The objective's.
  std::string objective_name;
  plan_handle plan;
  throttle_handle slots;               ///< The objective's `maxParallel`; may be null.
  trace_ptr trace{};                   ///< The objective's; null: none.
  message_ptr references{};            ///< What the objective refers to; null: nothing.
  std::shared_ptr<made_bytes> made{};  ///< By all tasks of the objective.
  std::optional<timestamp> deadline{}; ///< Of plan or objective, the earlier one, when it started.
};

/// What a task actor begins with. Either `plan` (a plan's task) or `request` (a lone one) is set.
struct task_start {
  std::shared_ptr<const plan_environment> plan;
  std::uint32_t task_index = 0;
  std::uint32_t generation = 0; ///< Of a plan's task: see task_summary.
  std::string agent;
  std::vector<dependency_ref> dependencies;

  task_id id;          ///< Of a lone task.
  std::string context; ///< Of a lone task.
  std::string owner;   ///< Of a lone task.
  message_ptr request; ///< Of a lone task.
  boost::json::object request_metadata;
  std::vector<std::string> accepted_output_modes; ///< Of a lone task.
  trace_context trace;                            ///< Of a lone task.
  watcher_ptr follow;
  std::vector<once_ptr> conditions; ///< Of the change that creates a lone task.
  reply_port<sent> done;

  slot_ticket ticket = 0;       ///< The slots it needs were asked for under this; 0: it needs none.
  timestamp ready_at{};         ///< When nothing it depends on held it back any more.
  std::vector<task_span> waits; ///< Its first phases, from `ready_at` on, if its plan was paused.
  bool exists = false; ///< Its record is there already: the process ended while it ran or, without
                       ///< attempts, waited.
  std::uint32_t attempts = 0; ///< Attempts it has had.
};

struct task_actor {
  using handle = task_handle;
  static inline const char* name = "troupe.task";

  task_actor(actor_pointer<handle> self, environment& env, task_start&& start);
  task_actor(const task_actor&) = delete;
  task_actor& operator=(const task_actor&) = delete;
  ~task_actor();

  void begin();
  void on(provide_input& command) { on_input(command); }
  void on(cancel_run& command) {
    settle_promise();
    cancel(command);
  }
  void on(agent_reported& fact);
  void on(task_timer& fact);
  void on(attempt_committed& fact);
  void on(slot_granted& fact);
  void on(record_read& fact);
  void on(order_read& fact);
  void on(change_answered& fact);
  void on(called_task_ended& fact);
  void on(called_task_read& fact);

private:
  // -- when it runs -------------------------------------------------------------------------------
  void read_own_record();
  void take_up(const task& record);
  /// `since`: when its present phase began.
  void resume(timestamp since);
  [[nodiscard]] bool goes_on() const;
  void read_again_later(const error& why);
  void announce();
  void go_on();
  void wait_for_slot();
  void wait_for_retry(std::chrono::milliseconds wait);
  void give_slots_back();
  [[nodiscard]] bool is_limited() const;

  // -- attempts -----------------------------------------------------------------------------------
  void begin_attempt(bool goes_on = false);
  void start_agent();
  void start_with_order();
  void on_started(start_result started);
  [[nodiscard]] agent_port_ptr make_port();
  void begin_time();
  /// An agent that throws has failed its attempt.
  void call_agent(const std::function<void()>& call);

  // -- what comes in ------------------------------------------------------------------------------
  void on_report(agent_report report, held_report held);
  void on_timer(const task_timer& timer);
  void cancel(const cancel_run& command);

  // -- what it is told, and what its agent is given (task_actor_messages.cpp) ---------------------
  struct reads;
  struct delivery;
  void on_input(provide_input& command);
  void on_claim(const provide_input& command);
  void keep_early(provide_input& command);
  [[nodiscard]] bool waits_for_agent(const provide_input& command) const;
  void take_held_inputs();
  [[nodiscard]] bool answer_with_default();
  void promise(provide_input command);
  void settle_promise();
  [[nodiscard]] std::optional<error> refusal_of_size(const message& input) const;
  void keep_input(message_ptr input);
  void hand_over(message_ptr input, bool answers);
  void hand_over_read();
  void read_deliveries_again();
  void deliver(const delivery& input);
  /// Its share of memory_account::live_work.
  [[nodiscard]] std::size_t input_bytes() const noexcept;
  /// The messages, after what the objective refers to.
  [[nodiscard]] std::vector<message_ptr> referring_messages() const;
  [[nodiscard]] std::vector<task_id> referenced_ids(const std::vector<message_ptr>& messages) const;
  [[nodiscard]] std::vector<message_ptr> messages() const;
  [[nodiscard]] std::shared_ptr<reads> read_made(const std::vector<task_id>& ids);
  [[nodiscard]] std::vector<referenced_task> references_of(const std::vector<message_ptr>& messages,
                                                           const reads& found) const;
  [[nodiscard]] result<order_ptr> make_order(const reads* found) const;

  // -- changes of its plan, and tasks that it calls (task_actor_changes.cpp) ----------------------
  void want_change(report_change asked);
  void begin_calling();
  void end_calling();
  void tell_parked(bool parked);
  [[nodiscard]] bool is_parked() const;
  void read_called();
  void follow_changes();
  void tell_changes();
  void forget_changes();

  // -- how an attempt ends ------------------------------------------------------------------------
  void complete(report_completed report);
  void fail(report_failed failure);
  void reject(report_rejected report);
  void reply(report_reply report);
  void answer_directly(message_ptr said);
  void stop_agent(report_failed because);
  [[nodiscard]] bool stop_run(std::optional<std::chrono::milliseconds> within = std::nullopt);
  void begin_grace();
  void after_stop();
  void end(task_event how, const std::string& text, const boost::json::object& metadata = {},
           bool is_late = false);
  void tell_end();
  [[nodiscard]] committed_fn answer_to_cancel();
  void leave();
  void tell_stopped();

  // -- facts (task_actor_facts.cpp) ---------------------------------------------------------------
  template<class Input>
  [[nodiscard]] result<task_decision> take(const Input& input);
  void ensure_created();
  void add_message(message said);
  void add_artifact(report_artifact report);
  void add_progress(progress_report report);
  void show_progress_in_time();
  void flush_progress();
  void note_progress();
  void hold_output(const task& record);
  [[nodiscard]] bool charge_output(memory_account account, std::size_t bytes);
  [[nodiscard]] std::optional<report_failed> count_output(std::size_t bytes);
  [[nodiscard]] std::optional<report_failed> count_text(const std::string& reason);
  void take_question(const report_question& asked);
  void ask(const report_question& asked);
  void ask_next();
  [[nodiscard]] bool is_left_open() const noexcept;
  [[nodiscard]] bool is_asking() const noexcept;
  void note_questions_before(const task& record);
  [[nodiscard]] bool tell_again(const report_question& asked);
  [[nodiscard]] const question* repeat(report_question& asked);
  [[nodiscard]] bool leave_to_agent(const std::string& question);
  void mind_deadline();
  void remind();
  void end_question(question_end how, const std::string& reason);
  /// The agent decides whether it goes on; a task whose agent does not run fails.
  void go_on_without_answer(const question& asked, question_end how);
  void withdraw_question(const report_withdrawal& report);
  [[nodiscard]] std::optional<report_failed> hold_note(std::size_t bytes);
  void keep_note(report_note report);
  void commit(committed_fn then = nullptr);
  void commit_wait(bool parked, bool backing_off = false);
  [[nodiscard]] change take_pending();
  void submit(change out, committed_fn then);
  [[nodiscard]] message_ptr status_message(const std::string& text,
                                           const boost::json::object& metadata) const;

  // -- what it is ---------------------------------------------------------------------------------
  void set_timer(task_timer::purpose kind, std::chrono::nanoseconds after);
  [[nodiscard]] committed_fn plan_told(const change& of, bool parked, bool backing_off) const;
  [[nodiscard]] const retry_policy& retry() const;
  [[nodiscard]] milliseconds timeout() const;
  [[nodiscard]] std::string delegation_target_name() const;
  void settle_cancel(report_canceled how);
  /// By when it must have ended, as far as it knows when it begins; nothing: whenever it likes.
  [[nodiscard]] std::optional<timestamp> own_deadline() const;
  void begin_deadline();
  [[nodiscard]] task_id id() const;
  [[nodiscard]] const std::string& context() const;
  [[nodiscard]] const std::string& owner() const;
  [[nodiscard]] const std::string& agent_name() const;
  [[nodiscard]] const throttle_handle& objective_slots() const;
  [[nodiscard]] restart_rule restart() const;
  [[nodiscard]] bool is_created() const noexcept {
    return life_.status.state != task_state::unspecified;
  }
  [[nodiscard]] bool over() const noexcept { return is_terminal(life_.status.state); }
  /// Its attempt is being stopped.
  [[nodiscard]] bool is_stopping() const noexcept { return details_ && details_->stopping; }

  /// What only a lone task needs.
  struct conversation {
    task_id id;
    std::string agent;
    std::string context;
    std::string owner;
    message_ptr request;
    boost::json::object metadata;
    std::vector<std::string> accepted_output_modes;
    trace_context trace;
    watcher_ptr follow;
    reply_port<sent> done;
  };

  /// A message on its way to the running agent: what it refers to is read first.
  struct delivery {
    message_ptr message;
    bool answers;
    std::shared_ptr<reads> found; ///< Null: it refers to nothing.
  };

  /// A message that waits until the task can take it.
  struct early_input {
    provide_input command;
    memory_charge held; ///< Of its message (memory_account::live_work).
  };

  /// What only some tasks need. A million tasks may be alive at once, so it is not part of each.
  struct task_details {
    std::vector<dependency_ref> dependencies;
    std::vector<message_ptr> inputs;
    std::size_t input_bytes = 0;               ///< Of `inputs`.
    std::vector<report_question> questions;    ///< Asked while another one is open.
    std::unique_ptr<progress_merger> progress; ///< Null: none was ever reported.
    timestamp progress_at{};                   ///< When progress was last committed.
    std::optional<report_failed>
        stopping; ///< The agent was told to stop; this is how the attempt will have ended.
    reply_port<task_ptr> canceled; ///< Who asked to cancel it.
    cancel_leaves_ptr leaves;      ///< Who asked waits for the agent's word; null: not.
    std::optional<std::string>
        canceled_by; ///< The same as an owner (owner_of): part of the change that ends it.
    std::vector<once_ptr> conditions;   ///< Of the next change.
    std::shared_ptr<reads> order_reads; ///< What the order needs is being read.
    std::list<delivery> deliveries;     ///< An empty deque would have 576 bytes.
    /// From before its record was read, or answers for which the agent must run
    /// (waits_for_agent), or while one is promised.
    std::vector<early_input> early_inputs;
    /// The answer to the open question, which is taken once others are, too (joint_answer). Null:
    /// none.
    std::unique_ptr<provide_input> promised;
    std::string note; ///< Of the attempt that is taken up again.
    model_usage used; ///< Before the task was taken up.
    std::size_t note_bytes =
        0;                ///< Of the last one, as the store has it (memory_account::small_output).
    timestamp ready_at{}; ///< When nothing it depends on held it back any more; the epoch: as it
                          ///< was made.
    std::vector<task_span> waits; ///< The first phases of the record that is made.
    /// The open question is of an earlier process, and the agent has not asked in this one.
    bool is_left_open = false;
    /// Ids of questions of attempts that the end of a process cut off, in the order in which they
    /// ended. The agent hears again how, if it asks them again.
    std::vector<std::string> questions_before;
    std::optional<timestamp> deadline; ///< At the desk (environment::deadlines).
    std::optional<timestamp> due;      ///< Its own deadline, if that counts from its start.
    slot_ticket ticket = 0;            ///< Of the slots it has or waits for; 0: none.
    timestamp slot_since{};            ///< When it got them; the epoch: it waits.
    std::uint32_t timeouts_set =
        0; ///< Timers of this attempt's time that have not gone off. Only the last one counts.
    wanted_changes changes;  ///< Of this attempt.
    bool is_calling = false; ///< It has given its slots back until the tasks that it called end.
    bool retries_by_desk = false; ///< The desk has the end of its backoff.
    bool progress_timer = false;
    bool progress_refused = false; ///< And that was logged.
    bool read_failed = false;      ///< And that was logged.
  };
  [[nodiscard]] task_details& details();

  actor_pointer<handle> self_;
  environment& env_;
  std::shared_ptr<const plan_environment> plan_;
  std::unique_ptr<conversation> lone_;
  std::unique_ptr<task_details> details_; ///< May be null; `details()` makes it.
  agent* agent_;                          ///< The registry's; null if there is none of that name.
  agent_run_ptr run_;
  std::vector<event> pending_; ///< Facts of this turn, not yet handed to the store.
  task_life life_;             ///< The fold of its events, those in `pending_` included.
  std::uint32_t task_index_ = 0;
  std::uint32_t artifacts_made_ = 0;
  std::uint32_t generation_ = 0;
  /// What it has made, as far as memory holds it (memory_account); for a lone task its own sum.
  std::size_t large_output_bytes_ = 0;
  std::size_t small_output_bytes_ = 0;
  bool has_artifacts_ = false;
  bool began_here_ = false;      ///< The attempt is one of this process.
  bool quit_after_stop_ = false; ///< It has ended, and its agent has yet to stop.
  bool keeps_place_ = false;     ///< Of quit_after_stop_: `maxParallel` of its plan counts it.
  bool is_taken_up_;             ///< It is new, or its record was read.
};

template<class Input>
result<task_decision> task_actor::take(const Input& input) {
  const auto now = env_.now();
  const auto first = pending_.size();
  const std::function<message_ptr(const std::string&, const boost::json::object&)> say =
      [this](const std::string& text, const boost::json::object& metadata) {
        return status_message(text, metadata);
      };
  auto decided = decide(life_, input, task_terms{now, retry(), say}, pending_);
  for (auto i = first; i < pending_.size(); ++i)
    apply_event(life_, now, pending_[i]);
  return decided;
}

} // namespace troupe
