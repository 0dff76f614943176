// One objective while it lives: starts plans when their turn comes, hears how they end, and answers
// objectives/update, plans/create and plans/update. What becomes of it is decided by
// protocol/fold/objective_life.hpp, from its own view; this commits the events, carries out the
// effects, and knows the messages. It reads the store only for the result of its root task.
//
// Spawned by the gateway for a new objective, for one that an earlier process left unfinished, and
// for one that has ended and is to be tried again. Ends when the objective has ended.
#pragma once

#include "actors/environment.hpp"
#include "actors/graph/added_plan.hpp"
#include "actors/graph/objective_graph.hpp"
#include "actors/graph/objective_index.hpp"
#include "actors/messages.hpp"
#include "actors/task/made_bytes.hpp"
#include "protocol/fold/objective_life.hpp"
#include <troupe/protocol/event.hpp>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace troupe {

/// The `agent` of a root task: no agent does it, it represents an objective.
inline constexpr std::string_view objective_agent = "objective";

/// The state of the root task, which shows the objective as an A2A task. If all questions of a
/// blocked objective ask for a login, and nobody has paused it, it is AUTH_REQUIRED.
[[nodiscard]] task_state root_state(const objective_view& of, objective_state when) noexcept;
/// The message as the history of the root task has it. Null: the task is no root task.
[[nodiscard]] message_ptr said_to_root(const message& said, const task& record);
/// The root task moves with its objective. `words` and `metadata` are of its status message;
/// without words there is none.
[[nodiscard]] change root_moved(const objective_view& of, objective_state to, std::string words,
                                boost::json::object metadata, timestamp at);
/// What the root task of a blocked objective says: the reason, how many ask, and the first few
/// questions (questions_shown_max).
[[nodiscard]] std::string blocked_words(const std::string& reason,
                                        const std::vector<pending_input>& questions);
/// In the metadata of that status: the id of the question, if there is only one.
[[nodiscard]] boost::json::object only_question(const std::vector<pending_input>& questions);

/// What an objective actor begins with.
struct objective_start {
  objective_view view; ///< As committed. Of a new one only its id.
  resolved_objective resolved;
  std::optional<objective_created> create; ///< Set: the objective does not exist yet.
  bool start = false;                      ///< With `create`: it is working at once.
  message_ptr request;                     ///< With `create`: a root task shall stand for it.
  std::optional<std::string> by;           ///< With `create`: who commanded it (owner_of).
  std::optional<task_state>
      root_shown; ///< Without: how the root task's record stands, if it has not ended.
  watcher_ptr follow;
  std::vector<once_ptr> conditions; ///< With `create`: of its change.
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
  void hold(const plan_spec& plan, std::uint32_t position);
  void hold_bytes(std::size_t more, std::size_t less = 0);
  void begin();
  void create();

  // -- decisions ----------------------------------------------------------------------------------
  /// Why a command is refused; else its answer follows.
  struct command {
    std::optional<std::string> by; ///< Who commanded it.
    boost::json::object metadata;  ///< For the root task's last message.
    committed_fn answer;           ///< May be null.
    /// Null, or used instead of `answer` if the plan ends otherwise than was asked.
    std::function<void(error)> refuse{};
    std::optional<std::uint32_t> plan{}; ///< Which one it is about.
    std::vector<once_ptr> conditions{};  ///< Of its change.
    /// Used instead of `answer` by commands whose answer is a report.
    reply_port<change_report> report{};
    once_conditions once{};     ///< Used instead of `conditions` by the same commands.
    cancel_leaves_ptr leaves{}; ///< Of a cancel (cancel_run).
  };
  [[nodiscard]] std::optional<error> obey(objective_input input, command from);
  void follow(objective_input fact);
  void carry_out(objective_decision decision, command from);
  void set_slots(const objective_changed& changed);
  void commit(timestamp at, std::vector<event> events, committed_fn then,
              std::optional<std::string> by, std::vector<once_ptr> conditions = {});
  void write(change change, committed_fn then);
  void tell_root(const std::vector<event>& events, boost::json::object metadata, committed_fn then);
  void answer_later(answer_after when, command& from, const std::vector<objective_effect>& effects);
  void answer_after_ends(command& from, const std::vector<objective_effect>& effects);
  /// For commands that waited for an end.
  struct waiting_answers {
    std::vector<committed_fn> answers;           ///< Once the end is committed.
    std::vector<once_ptr> conditions;            ///< Of that change.
    std::vector<std::function<void()>> refusals; ///< After the change is submitted.
  };
  void take_plan_closers(std::uint32_t plan, waiting_answers& into);
  void answer_plan_closers(std::uint32_t plan);

  // -- plans --------------------------------------------------------------------------------------
  /// `from`: the command that it follows from.
  void do_effect(const start_plan& effect, const command& from);
  void do_effect(const pause_running_plan& effect, const command& from);
  void do_effect(const end_running_plan& effect, const command& from);
  void do_effect(const change_running_plan& effect, const command& from);
  void do_effect(const tell_running_plans& effect, const command& from);
  void on_plan(plan_fact& message);
  void on_heard(const plan_heard& fact);
  void answer_heard();

  // -- changes of plans' shapes -------------------------------------------------------------------
  void on_shape(const shape_settled& fact);
  void note_shape(const plan_spec& before, const plan_changed& changed);
  [[nodiscard]] shape_terms terms_for(std::uint32_t plan, const change_plan& asked) const;
  /// True: a running plan is being changed, and `message` is done after that. So a command finds
  /// the revision that it expects.
  template<class Message>
  [[nodiscard]] bool is_deferred(const Message& message,
                                 void (objective_actor::*handler)(const Message&));
  void end_change();
  /// The answer to the command is `report`. False: a dry run, which is answered now.
  [[nodiscard]] static bool answer_with_report(const change_report& report, command& from);

  // -- deadlines of the objective and its plans ---------------------------------------------------
  void mind_deadlines();
  /// Those up to `carried_out` are not waited for again.
  void wait_for_deadline_after(timestamp carried_out);
  /// Whether what has begun has a deadline since then.
  [[nodiscard]] bool begins_deadline(const event& one) const;
  void on_deadline();

  // -- tasks that other plans wait for ------------------------------------------------------------
  void on_awaited(const awaited_task_ended& fact);
  void tell_awaited(std::uint32_t plan);
  void pass_on(const awaited_task_ended& news);
  [[nodiscard]] std::vector<dependency_news> news_for(std::uint32_t plan) const;
  [[nodiscard]] std::optional<awaited_task_ended> end_of(const task_position& task) const;
  [[nodiscard]] std::vector<task_position> waiting_for(const task_position& task) const;
  [[nodiscard]] dependency_news news_of(const awaited_task_ended& ended,
                                        std::uint32_t dependent) const;

  // -- commands (objective_actor_commands.cpp) ----------------------------------------------------
  void on_change(const change_objective& message);
  void on_add(const add_plan& message);
  void on_move_plan(const move_plan& message);
  void on_reshape(const reshape_plan& message);
  void on_modify(const reshape_objective& message);
  [[nodiscard]] result<std::vector<plan_relations>> take_in_plans(modify_objective& asked);
  void let_go_plans(std::size_t plans);
  void on_message(objective_message& message);
  void on_root_said(const root_said& message);
  void on_cancel(const objective_cancel& message);
  void await_tasks(const std::vector<awaited_edge>& edges);
  [[nodiscard]] objective_index& index();
  [[nodiscard]] std::optional<std::uint32_t> find_plan(const plan_id& id) const;

  // -- the objective itself -----------------------------------------------------------------------
  [[nodiscard]] const objective_view& view() const noexcept { return life_.view(); }
  /// Answers with the objective as it is then; the memory store may have let it go between a
  /// command and its commit.
  [[nodiscard]] committed_fn answer_with_view(reply_port<objective_ptr> to) const;
  template<class Message>
  void refuse(const Message& message, error why);
  void quit_if_ended();

  // -- the root task at the end (objective_result.cpp) --------------------------------------------
  /// Gives the root task what the last tasks have made, and then `end`.
  void end_root(change end, committed_fn then);
  void read_result();
  void on(const result_read& fact);
  /// How the root task ends, once the result was read.
  struct root_end {
    change last;
    committed_fn then;
  };

  /// A command whose answer waits until these plans have heard.
  struct heard_by {
    std::uint64_t command;
    std::vector<std::uint32_t> plans;
    committed_fn answer;
  };

  actor_pointer<handle> self_;
  environment& env_;
  objective_life life_;
  std::vector<std::shared_ptr<const resolved_plan>>
      resolved_; ///< By plan, as it was accepted. Shared with its actor, so it never changes.
  std::unordered_map<plan_id, std::uint32_t> plan_positions_;
  std::optional<objective_index> index_; ///< Made with the first plan or key that is added.
  std::map<task_position, std::vector<task_position>>
      awaited_later_; ///< Tasks that plans wait for which were added since.
  std::map<task_position, awaited_task_ended>
      ended_; ///< What became of awaited tasks of plans that run: their summaries are not here.
  objective_start start_;
  std::vector<plan_handle> running_; ///< By plan; null if it has no actor.
  throttle_handle slots_;
  const std::shared_ptr<made_bytes> made_; ///< By its tasks.
  std::uint64_t commands_ = 0;             ///< Numbers those that plans have to hear.
  std::vector<heard_by> waiting_;
  std::vector<committed_fn> closers_; ///< Answers that wait for the objective's end.
  /// A command that waits for the end of plans.
  struct plan_closer {
    plan_state to;                     ///< The end that it wants.
    std::shared_ptr<std::size_t> left; ///< How many of its plans have not ended.
    committed_fn answer;
    std::function<void(error)> refuse;                       ///< May be null.
    std::shared_ptr<const std::vector<once_ptr>> conditions; ///< Of the change with the last end.
  };
  std::map<std::uint32_t, std::vector<plan_closer>> plan_closers_; ///< By plan.
  std::vector<reply_port<task_ptr>> cancelers_; ///< Who asked to cancel the root task.
  boost::json::object cancel_metadata_;         ///< Of the request that did.
  std::vector<awaited_edge> awaited_by_new_;    ///< By plans that a change is about to add.
  std::size_t plan_bytes_ = 0;                  ///< Its share of memory_account::live_work.
  /// A plan is being changed; one that runs has not said yet what came of it.
  struct shape_under_change {
    std::uint32_t plan;
    const reshape_plan* message; ///< Until it is passed on.
    plan_spec_ptr before;
  };
  std::optional<shape_under_change> changing_;
  std::deque<std::function<void()>> after_change_; ///< Commands and deadlines that came meanwhile.
  /// Ends of other plans that came meanwhile. They are taken before the commands: one of these may
  /// be about a plan whose actor has ended.
  std::deque<std::function<void()>> ends_after_change_;
  std::optional<root_end> root_end_;
  bool has_left_ = false;
  std::size_t unwritten_ = 0; ///< Changes of an objective that has ended that are not durable yet.
};

} // namespace troupe
