// Everything that can be asked for, as functions of typed commands to typed results: what is
// allowed, whose it is, what is waited for and which error it is stands here and in the gateway.
// JSON-RPC, REST, the library and whatever comes next are thin bindings of it. It knows no session,
// no socket, no JSON text and no version of a protocol.
//
// A value: a copy is the same service. Thread-safe. Each function answers `done` exactly once:
// before it returns if memory can answer, else on another thread. None blocks. An event loop hands
// in replies of its loop_gateway, and is answered on its own thread.
#pragma once

#include "actors/feed/any_feed.hpp"
#include "actors/feed/feed.hpp"
#include "actors/service/answer.hpp"
#include "actors/service/operation.hpp"
#include "actors/service/pending_send.hpp"
#include "actors/service/push_configurations.hpp"
#include "actors/service/send_request.hpp"
#include <troupe/actors/gateway.hpp>
#include <troupe/protocol/command.hpp>
#include <troupe/store/store.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace troupe {

class service {
public:
  /// `pushes` may be null: then notifications are not offered. The gateway outlives the service and
  /// its copies.
  explicit service(gateway& main_gateway, std::shared_ptr<push_configurations> pushes = nullptr);

  // -- tasks --------------------------------------------------------------------------------------

  /// Errors of all that name a task: task_not_found, also for another client's; forbidden;
  /// store_unreadable, overloaded.
  void get(const get_task& query, reply<task_ptr> done) const;
  void list(const list_tasks& query, reply<task_page> done) const;
  void cancel(cancel_task command, reply<task_ptr> done) const;

  /// Sends, and begins to wait. `notify` is called on any thread when the outcome may be there: see
  /// pending_send::poll. It outlives the service's store.
  [[nodiscard]] std::shared_ptr<pending_send> send(send_request&& request,
                                                   std::function<void()> notify) const;
  /// Sends, and makes `source`, a new feed, that of the task that takes the message. The feed is
  /// handed on from step to step: the service releases it with the answer.
  void send(send_request&& request, std::shared_ptr<feed> source, reply<stream_start> done) const;

  struct subscription {
    subscribe_to_task command;
    std::optional<stream_cursor> after; ///< Where the client's last stream broke.
    bool refuses_ended = false; ///< A task that has ended is an error, unless there is an `after`
                                ///< (docs/a2a.md, D11).
  };
  /// The same with the feed of a task that is there, from `after` on if there is one. Errors also:
  /// unsupported_operation (it has ended), invalid_params (`after` is ahead of the task).
  void subscribe(subscription wanted, std::shared_ptr<feed> source, reply<stream_start> done) const;

  // -- objectives and plans -----------------------------------------------------------------------

  void create(create_objective command, reply<objective_ptr> done) const;
  /// The same, and makes `news`, a new feed, that of the objective with all its tasks, from its
  /// first change on. The service owns `news` until it answers, then the caller does.
  void create(create_objective command, std::shared_ptr<any_feed> news,
              reply<objective_ptr> done) const;
  struct subscribe_to_objective {
    principal who;
    objective_id id;
  };
  /// Makes `news`, a new feed, that of an objective that is there. The answer is its snapshot.
  void follow(const subscribe_to_objective& command, std::shared_ptr<any_feed> news,
              reply<objective_ptr> done) const;
  void update(update_objective command, reply<objective_ptr> done) const;
  /// Changes it and its plans. The answer is as large as the change.
  void modify(modify_objective command, reply<change_report> done) const;
  /// A text says how it is to go on, and the planner makes a change of it (docs/planner.md).
  /// Errors also: those of modify, and planner_failed.
  void replan(replan_objective command, reply<replan_report> done) const;
  void get(const get_objective& query, reply<objective_ptr> done) const;
  /// Errors also: as those of the history of a plan.
  void list(const get_objective_history& query, reply<objective_history_page> done) const;
  void list(const list_objectives& query, reply<objective_page> done) const;

  void create(create_plan command, reply<placed_plan> done) const;
  void update(update_plan command, reply<placed_plan> done) const;
  void get(const get_plan& query, reply<placed_plan> done) const;
  /// Errors also: invalid_params (a page token that is not of this list).
  void list(const list_plans& query, reply<plan_page> done) const;
  /// Adds tasks, or replaces them.
  void change(change_plan command, reply<placed_plan> done) const;
  /// Changes its shape in any way. The answer is as large as the change.
  void modify(change_plan command, reply<change_report> done) const;
  /// Errors also: invalid_params (a page token that is none), limit_exceeded (the history of the
  /// objective is too long to be searched), revision_not_found (the plan as it was: there was none,
  /// or the store keeps no history).
  void list(const get_plan_history& query, reply<plan_history_page> done) const;

  // -- questions ----------------------------------------------------------------------------------

  /// Errors also: plan_not_found; invalid_params (a page token that is not of this list).
  void list(const list_inputs& query, reply<shown_input_page> done) const;
  /// Makes `news`, a new feed, that of the changes of questions from now on (questions_in). A plan
  /// does not narrow it, and it has changes of all owners.
  [[nodiscard]] result<void> follow(const list_inputs& which, feed& news) const;
  /// Errors of all that name a question: input_not_found, also for another client's.
  void get(const get_input& query, reply<shown_input> done) const;
  /// The answer is the question as it stands then. Errors also: already_answered, input_expired,
  /// input_withdrawn; those of sending a message to its task.
  void answer(answer_input command, reply<shown_input> done) const;
  /// Until claim_lease is over, answers of others are refused. Errors also: those of an answer to a
  /// question that is closed; input_claimed.
  void claim(claim_input command, reply<shown_input> done) const;
  void release(claim_input command, reply<shown_input> done) const;

  // -- push configurations ------------------------------------------------------------------------

  /// Errors also: push_not_supported.
  void create(create_push_config command, reply<push_config> done) const;
  /// The same for a configuration without an id, by a request that has a key of its client's. The
  /// id comes from the key. If the same request comes again, the answer is the configuration that
  /// is there; another one with the key gets errc::duplicate_id.
  void create_once(create_push_config command, const std::string& key,
                   reply<push_config> done) const;
  void get(const get_push_config& query, reply<push_config> done) const;
  void list(const list_push_configs& query, reply<push_config_page> done) const;
  void erase(delete_push_config command, reply<void> done) const;

private:
  [[nodiscard]] result<void> offers_pushes() const;
  void change_claim(claim_input command, reply<shown_input> done) const;
  struct new_work;
  /// What a send begins with: the push configuration is in order, and it is known whether the
  /// message brings an objective, or joins one.
  using next_step = std::function<void(new_work, const reply<sent>&)>;
  void prepare(std::shared_ptr<send_request> request, reply<sent> refused, next_step next) const;
  template<class Next, class Create>
  static void begin_planned(send_request& request, const Next& next, const Create& create,
                            const reply<sent>& to);
  template<class Next>
  void join_planned(const std::shared_ptr<send_request>& request, const Next& next,
                    const reply<sent>& to) const;
  void answer_directly(const std::shared_ptr<send_request>& request, message_ptr said,
                       reply<sent> done) const;
  void send_planning(const std::shared_ptr<send_request>& request, create_objective command,
                     const std::shared_ptr<pending_send>& out) const;
  void plan_for(const std::shared_ptr<send_request>& request, create_objective command,
                reply<objective_ptr> done) const;
  [[nodiscard]] reply<sent> with_push_again(const std::shared_ptr<send_request>& request,
                                            reply<sent> done) const;
  [[nodiscard]] reply<objective_ptr> with_push(const std::shared_ptr<send_request>& request,
                                               reply<objective_ptr> done) const;
  /// `may_end`: it has, or will have, tasks.
  void show_made(const std::shared_ptr<send_request>& request,
                 const std::shared_ptr<pending_send>& out, const result<objective_ptr>& made,
                 bool may_end) const;
  void take(send_message&& command, watcher_ptr follow, const std::shared_ptr<send_request>& with,
            reply<sent> done) const;
  void send_text(send_message&& command, const std::shared_ptr<pending_send>& out,
                 const std::shared_ptr<send_request>& with) const;
  void send_objective(const std::shared_ptr<send_request>& request, create_objective command,
                      const std::shared_ptr<pending_send>& out) const;
  void join(const std::shared_ptr<send_request>& request, create_plan command,
            reply<sent> done) const;
  void send_plan(const std::shared_ptr<send_request>& request, create_plan command,
                 const std::shared_ptr<pending_send>& out) const;
  void watch(const std::shared_ptr<pending_send>& out, const sent& taken) const;
  void show_next_status(const std::shared_ptr<pending_send>& out, const sent& taken) const;
  /// The message came before, or was refused.
  void show_again(const std::shared_ptr<pending_send>& out, result<sent> known) const;
  void show_again(const principal& who, std::shared_ptr<feed> source, const result<sent>& known,
                  reply<stream_start> done) const;
  /// Opens `source` as the feed of the task, for `who`. Errors: those of feed_source::open.
  void open(const task_id& task, const principal& who, std::shared_ptr<feed> source,
            reply<stream_start> done) const;
  /// Opens `news` as the feed of the objective, for `who`. The answer is its snapshot.
  void open(const objective_id& id, const principal& who, std::shared_ptr<any_feed> news,
            reply<objective_ptr> done) const;
  void create_for(const std::shared_ptr<send_request>& request, create_objective command,
                  reply<objective_ptr> done) const;
  void join_made(const std::shared_ptr<send_request>& joining, const principal& who,
                 const objective_id& id, const error& refused, reply<objective_ptr> done) const;
  struct history_search;
  void search_plan(const get_plan_history& query, std::uint64_t before, const placed_plan& found,
                   reply<plan_history_page> done) const;
  void search_objective(const get_objective_history& query, std::uint64_t before,
                        const objective_ptr& found, reply<objective_history_page> done) const;
  void search(const std::shared_ptr<history_search>& in, std::uint64_t after) const;
  void show_plan(const principal& who, const plan_id& id, reply<placed_plan> done) const;
  void show_rollup(const principal& who, task_ptr root, reply<task_ptr> done) const;

  gateway& gateway_;
  store& records_;
  std::shared_ptr<push_configurations> pushes_;
};

} // namespace troupe
