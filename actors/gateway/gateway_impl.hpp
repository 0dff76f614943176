// What stands behind the gateway. Commands are checked here in steps that may each wait for a read
// of the store; the thread that the read ends on goes on with the next step, and nothing blocks.
#pragma once

#include "actors/commands/message_rules.hpp"
#include "actors/commands/once_desk.hpp"
#include "actors/commands/placing.hpp"
#include "actors/environment.hpp"
#include "actors/gateway/housekeeper.hpp"
#include "actors/loop/loop_gateway.hpp"
#include "actors/planning/planning_desk.hpp"
#include <troupe/actors/gateway.hpp>
#include <troupe/actors/request_gate.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

struct given_answer;
struct task_start;

/// Everything that exists from `start` on.
struct gateway::impl {
  impl(store& records, const agent_registry& agents, const executor_options& options);
  ~impl();

  void start();

  /// Why new work is not taken at the moment.
  [[nodiscard]] result<void> open() const;
  /// Why no command is taken at the moment, not even one for what is there.
  [[nodiscard]] result<void> keeps_up() const;
  /// Whether plans or a message of that size may be added to what is live.
  [[nodiscard]] result<void> has_room(std::size_t bytes) const;
  /// True also without room if the update adds nothing.
  [[nodiscard]] result<void> has_room(const edits& wanted) const;

  // -- what may come once -------------------------------------------------------------------------

  [[nodiscard]] std::vector<once> conditions_of(const send_message& command) const;
  template<class Command>
  [[nodiscard]] std::vector<once> conditions_of(const Command& command) const;
  /// The first step of every command. Calls `next(command, done)` if the command may come as often
  /// as it likes, or is the first. If it came before, `done` is answered with what the first led
  /// to; if the backlog is full (keeps_up), with that.
  template<class T, class Command, class Next>
  void once_only(Command& command, reply<T>& done, Next next);
  /// `to`, for a command with conditions: they are under way until it is answered.
  template<class T>
  [[nodiscard]] reply<T> holding(const once_conditions& conditions, const principal& who,
                                 reply<T> to);
  // What came before, as the answer to a command of its kind, read anew.
  void answer_again(const once& came, const principal& who, const reply<sent>& done) const;
  void answer_again(const once& came, const principal& who, const reply<task_ptr>& done) const;
  void answer_again(const once& came, const principal& who, const reply<objective_ptr>& done) const;
  void answer_again(const once& came, const principal& who, const reply<plan_id>& done) const;
  void answer_again(const once& came, const principal& who, const reply<change_report>& done) const;
  void answer_again(const once& came, const principal& who, const reply<replan_report>& done) const;

  // -- steps --------------------------------------------------------------------------------------
  // Each calls `next` with what it found, or `done` with an error, exactly once, maybe before it
  // returns.

  template<class Id, class T, class Next>
  void place(const principal& who, const Id& id, reply<T> done, Next next) const {
    troupe::place(records, who, id, std::move(done), std::move(next));
  }

  /// The tasks a message refers to, as far as they are `who`'s, and `own`, the one it is for (null:
  /// it makes one).
  template<class T, class Next>
  void find_references(const principal& who, const message& in, task_ptr own, reply<T> done,
                       Next next) const;

  /// Claims ids that a client chose for as long as the command takes; none of them is used then.
  /// `bytes`: of the command, which count in memory_account::live_work while it waits for an id.
  template<class T, class Next>
  void claim(std::vector<std::string> ids, std::size_t bytes, const principal& who, reply<T> done,
             Next next);

  void send_new(send_message&& command, watcher_ptr follow, reply<sent> done);
  /// Whether a request that begins something may have come through the servers that it names.
  [[nodiscard]] result<void> admit_path(const boost::json::object& metadata,
                                        const std::string& traceparent,
                                        const std::string& tracestate) const;
  void send_to(send_message&& command, reply<sent> done);
  void send_to(const placement& at, const task_ptr& record, send_message&& command,
               reply<sent> done);
  void send_to_root(const task& root, const principal& who, provide_input input,
                    reply_port<task_id> done);
  void send_to_question(question_address asked, const task& root, const principal& who,
                        provide_input input, reply_port<task_id> done);
  /// `then` follows once the message that has answered stands in the history of the root task, or
  /// the root task has ended.
  void keep_in_root(const task& root, message_ptr answer, const std::function<void()>& then);
  void send_answers(const task_ptr& named, const send_message& command,
                    std::vector<given_answer> answers, reply<sent> done);
  /// To the actor of a task that has begun: a lone one, or one of an objective.
  void tell_task(const task& record, provide_input input, const reply_port<task_id>& done);
  void cancel(cancel_task command, reply<task_ptr> done);
  void create(create_objective command, watcher_ptr follow, reply<objective_ptr> done);
  void create_named(create_objective command, resolved_objective resolved, watcher_ptr follow,
                    reply<objective_ptr> done);
  void update(update_objective command, reply<objective_ptr> done);
  void create(create_plan command, reply<plan_id> done);
  void update(update_plan command, reply<plan_id> done);
  void change(change_plan command, reply<change_report> done);
  void change(modify_objective command, reply<change_report> done);

  /// Gives `next` the live actor of an objective that is here; one that has settled is brought back
  /// for as long as the command takes.
  void objective_actor_for(const objective_id& id,
                           std::function<void(result<objective_handle>)> next, int tries);
  /// Sends an objective the message that `make` makes of the reply; once more if its actor was just
  /// ending.
  template<class T, class Make>
  void command(const objective_id& id, Make make, reply<T> done, int tries);
  /// Sends the actor of a lone task or of an objective one message, made only if there is one to
  /// take it.
  template<class Handle, class T, class Message>
  void tell_live(directory<Handle>& of, const std::string& id, reply_port<T> answer,
                 Message message);

  /// `to`, but a refusal waits until all is committed that was submitted before it: it may speak of
  /// a state that is not readable yet, and that is lost if the disk never takes it.
  template<class T>
  [[nodiscard]] reply<T> refusing_after_commits(reply<T> to);

  /// With `env.entering` held.
  [[nodiscard]] result<objective_handle>
  spawn_existing(const objective_view& view, std::optional<task_state> root_shown = std::nullopt);
  void resume_lone(const task& record);
  task_handle spawn_lone(task_start&& start);

  /// Whether the default agent is to do all the work.
  [[nodiscard]] bool is_for_default_agent(const objective_spec& spec) const;

  [[nodiscard]] timestamp now() const {
    return options.by_hand ? options.by_hand->now() : options.time->now();
  }

  store& records;
  const agent_registry& registered;
  agent_registry agents; ///< The gateway's own beside those, from `start` on.
  const executor_options options;

  once_desk desk; ///< Replies use it, to the end of the last actor.

  std::atomic<bool> draining{false};
  caf::actor_system_config config;
  std::unique_ptr<caf::actor_system> system;
  std::optional<environment> env;
  std::optional<housekeeper> house;
  std::optional<planning_desk> plan_desk;
  mutable std::once_flag gates_known;
  mutable std::vector<request_gate*> gates; ///< The agents that are one, from the first request on.
  ticker ticks;
  std::mutex loops_lock;
  std::vector<std::unique_ptr<loop_gateway>> loops; ///< To the end: a reply may come however late.
};

} // namespace troupe
