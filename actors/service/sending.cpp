// Both forms of sending a message, with everything that may come with it.
#include "actors/feed/change_wait.hpp"
#include "actors/feed/store_source.hpp"
#include "actors/message_rules.hpp"
#include "actors/service/known_objective.hpp"
#include "actors/service/objective_of_message.hpp"
#include "actors/service/placing.hpp"
#include "actors/service/service.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

/// Whether there is anything that could come to an end by itself.
bool has_tasks(const objective_view& objective) {
  return std::any_of(objective.plans.begin(), objective.plans.end(),
                     [](const plan_view& plan) { return !plan.tasks.empty(); });
}

/// The objective that the text was for takes no more: then it is a task of its own, also if the
/// message wished for an objective without a document of one.
bool has_just_ended(const result<sent>& joined, const send_request& request) {
  const auto* wish = request.objective.get();
  const bool brings_documents = wish && (wish->objective || wish->plan);
  return !joined && joined.error().code == errc::invalid_transition && !brings_documents;
}

/// A new task in the context of an objective of its sender's that goes on is one of its tasks.
bool may_join(const message& sent) {
  return sent.task_id.empty() && !sent.context_id.empty();
}

error gone_at_once(const std::string& id) {
  return make_error(errc::internal, "the objective was created but can no longer be read", id);
}

} // namespace

/// What a message asks for beside a task: none or one of the three.
struct service::new_work {
  std::optional<create_objective> objective{};
  std::optional<create_plan> plan{}; ///< For the objective of its context.
  std::optional<sent> known{};       ///< It has joined the objective that it brings.
};

/// Calls `next` with the objective or the plan that the message asks for, if it does; else
/// `refused` with an error.
template<class Next>
void service::prepare(std::shared_ptr<send_request> request, reply<sent> refused, Next next) const {
  const auto& command = request->command;
  if (auto ok = admit(command.who, operation::send_message); !ok)
    return refused(ok.error());
  const task_id named(command.message.task_id);
  // A message to a task is for that task, whatever it brings (A2A 1.0 section 3.4.2).
  if (!named.empty())
    request->objective.reset();
  auto decide = [*this, request, next = std::move(next)](reply<sent> refuse) {
    const auto go_on = [request, next](reply<sent> to) {
      auto made = objective_of_message(*request);
      if (!made)
        return to(made.error());
      next(new_work{.objective = std::move(*made)}, std::move(to));
    };
    const auto& sent_text = request->command.message;
    const auto* wish = request->objective.get();
    if (auto known = named_objective(*request); !known.empty())
      return gateway_.has_live_objective(
          request->command.who, known,
          [*this, request, next, go_on, refuse](const result<bool>& is_live) {
            if (!is_live)
              return refuse(is_live.error());
            if (!*is_live)
              return go_on(refuse);
            join_known(gateway_, records_, pushes_, request, [next, refuse](result<sent> joined) {
              if (!joined)
                return refuse(joined.error());
              next(new_work{.known = std::move(*joined)}, refuse);
            });
          });
    if (wish && (wish->objective || sent_text.context_id.empty()))
      return go_on(std::move(refuse));
    if (!may_join(sent_text))
      return next(new_work{}, std::move(refuse));
    const auto& who = request->command.who;
    const objective_id joined{sent_text.context_id};
    gateway_.has_live_objective(
        who, joined, [request, next, go_on, wish, refuse](const result<bool>& is_live) {
          if (!is_live)
            return refuse(is_live.error());
          if (auto plan = *is_live ? plan_of_message(*request) : std::nullopt)
            return next(new_work{.plan = std::move(plan)}, refuse);
          if (wish && wish->plan)
            return go_on(refuse);
          // A wish without a plan makes nothing here: the objective would get the id of the
          // context, and the answer would tell if somebody else has one of that id.
          next(new_work{}, refuse);
        });
  };
  if (!request->push)
    return decide(std::move(refused));
  if (auto ok = offers_pushes(); !ok)
    return refused(ok.error());
  request->push->owner = command.who;
  request->push->task = named;
  const auto check = [*this, request, decide = std::move(decide)](bool is_theirs,
                                                                  const reply<sent>& to) {
    if (auto ok = pushes_->check(*request->push, is_theirs); !ok)
      return to(ok.error());
    decide(to);
  };
  if (named.empty())
    return check(true, refused);
  // Of another client's task nothing is told, not even that it is full.
  records_.read_placement(
      named,
      [request, check, refused](const result<placement>& at) {
        if (!at && !is_not_found(at.error().code))
          return refused(at.error());
        check(at && owns(request->command.who, at->owner), refused);
      },
      client_of(command.who));
}

/// Hands the message on. `done` is called when its push configuration is durable, too, or could not
/// be kept: then the message was accepted all the same.
void service::take(send_message&& command, watcher_ptr follow,
                   const std::shared_ptr<send_request>& with, reply<sent> done) const {
  const bool may_be_new = command.message.task_id.empty();
  if (with && with->push)
    done = [pushes = pushes_, request = with, may_be_new,
            done = std::move(done)](result<sent> taken) {
      // No task, or that of the same message before, which had its configuration.
      if (!taken || taken->answer || taken->repeated)
        return done(std::move(taken));
      request->push->task = taken->task;
      pushes->attach(std::move(*request->push), may_be_new,
                     [taken, done](const result<push_config>&) { done(taken); });
    };
  gateway_.send(std::move(command), std::move(follow), std::move(done));
}

void service::create_for(const std::shared_ptr<send_request>& request, create_objective command,
                         reply<objective_ptr> done) const {
  if (!command.spec.id.empty())
    done = [records = &records_, who = command.who, id = command.spec.id,
            done = std::move(done)](result<objective_ptr> made) {
      if (made || made.error().code != errc::duplicate_id)
        return done(std::move(made));
      explain_duplicate(*records, who, id, made.error(), done);
    };
  if (request->push)
    done = [pushes = pushes_, request, done = std::move(done)](result<objective_ptr> made) {
      if (!made)
        return done(std::move(made));
      request->push->task = (*made)->root_task;
      pushes->attach(std::move(*request->push), true,
                     [made, done](const result<push_config>&) { done(made); });
    };
  gateway_.create(std::move(command), nullptr, std::move(done));
}

/// Adds the plan of the message to the objective, which begins if it has not. The message keeps to
/// the rules of one that brings an objective; what it refers to has no place in a plan. `done`
/// gets the task that stands for the objective or, if none does, the first task of the plan.
void service::join(const std::shared_ptr<send_request>& request, create_plan command,
                   reply<sent> done) const {
  if (command.spec.tasks.empty())
    return done(
        make_error(errc::invalid_params, "opt/v1/plan: \"tasks\" has no task", "message.metadata"));
  const auto& sent_text = request->command.message;
  if (!sent_text.reference_task_ids.empty())
    return done(make_error(errc::invalid_params,
                           "message.referenceTaskIds: a plan that joins an objective refers to the "
                           "tasks that its objective refers to, and to no others",
                           "message.referenceTaskIds"));
  const auto& agents = gateway_.agents();
  const auto agent = agents.find(agents.default_agent);
  if (agent && is_for_default_agent(command.spec, agents))
    if (auto ok = check_media_types(sent_text, request->command.accepted_output_modes, *agent); !ok)
      return done(ok.error());
  const auto who = command.who;
  const auto attach = [pushes = pushes_, request](sent taken, const reply<sent>& to) {
    if (!request->push)
      return to(std::move(taken));
    request->push->task = taken.task;
    pushes->attach(std::move(*request->push), false,
                   [taken, to](const result<push_config>&) { to(taken); });
  };
  gateway_.create(std::move(command), [*this, who, attach,
                                       done = std::move(done)](const result<plan_id>& made) {
    if (!made)
      return done(made.error());
    show_plan(who, *made, [attach, done](const result<placed_plan>& at) {
      if (!at)
        return done(at.error());
      const auto& objective = *at->objective;
      const auto& root = objective.root_task;
      attach(sent{.task = root.empty() ? objective.plans[at->index].task_at(0) : root,
                  .context = objective.id.str(),
                  .created = false,
                  .answer = nullptr},
             done);
    });
  });
}

// -- waiting for the outcome ----------------------------------------------------------------------

std::shared_ptr<pending_send> service::send(send_request&& request,
                                            std::function<void()> notify) const {
  auto out = std::make_shared<pending_send>(records_, request.waits, std::move(notify));
  if (!request.push && !request.objective && !may_join(request.command.message)) { // most messages
    if (auto ok = admit(request.command.who, operation::send_message); !ok)
      out->on_reply(ok.error());
    else
      send_text(std::move(request.command), out, nullptr);
    return out;
  }
  if (auto ok = admit(request.command.who, operation::send_message); !ok) {
    out->on_reply(ok.error());
    return out;
  }
  const auto shared = std::make_shared<send_request>(std::move(request));
  const auto begin = [*this, out, shared](new_work asked, const reply<sent>&) {
    if (asked.objective)
      send_objective(shared, std::move(*asked.objective), out);
    else if (asked.plan)
      send_plan(shared, std::move(*asked.plan), out);
    else if (asked.known)
      show_again(out, std::move(*asked.known));
    else
      send_text(std::move(shared->command), out, shared);
  };
  gateway_.send_once(
      std::move(shared->command),
      [*this, out](result<sent> known) { show_again(out, std::move(known)); },
      [*this, out, shared, begin](send_message first, const reply<sent>&) {
        shared->command = std::move(first);
        prepare(
            shared, [out](result<sent> refused) { out->on_reply(std::move(refused)); }, begin);
      });
  return out;
}

void service::send_text(send_message&& command, const std::shared_ptr<pending_send>& out,
                        const std::shared_ptr<send_request>& with) const {
  const task_id named(command.message.task_id);
  const bool waits = out->waits();
  reply<sent> done = [*this, out, makes_one = named.empty()](result<sent> taken) {
    if (!taken || taken->answer || taken->repeated)
      return show_again(out, std::move(taken));
    if (out->waits() && makes_one)
      out->watch_on(taken->task);
    out->on_reply(std::move(taken));
  };
  if (!waits || named.empty())
    return take(std::move(command), waits ? out : nullptr, with, std::move(done));
  // It is watched before the message can change it. If it is not there, the gateway says so.
  const auto who = command.who;
  const auto client = client_of(who);
  const auto shared = std::make_shared<send_message>(std::move(command));
  const auto hand_on = [*this, shared, with, done = std::move(done)] {
    take(std::move(*shared), nullptr, with, done);
  };
  records_.read_placement(
      named,
      [*this, named, who, client, out, hand_on](const result<placement>& at) {
        if (!at || !owns(who, at->owner))
          return hand_on();
        records_.snapshot_task(
            named, out,
            [named, out, hand_on](const result<task_snapshot>& found) {
              if (found && found->record)
                out->watch_on(named);
              hand_on();
            },
            client);
      },
      client);
}

void service::send_objective(const std::shared_ptr<send_request>& request, create_objective command,
                             const std::shared_ptr<pending_send>& out) const {
  create_for(request, std::move(command), [*this, out](const result<objective_ptr>& made) {
    if (!made)
      return out->on_reply(made.error());
    const auto root = (*made)->root_task;
    sent taken{root, (*made)->id.str(), true, nullptr};
    out->set_objective((*made)->id);
    if (!out->waits() || !has_tasks(**made)) {
      out->stop_waiting();
      return out->on_reply(std::move(taken));
    }
    watch(out, taken);
  });
}

void service::send_plan(const std::shared_ptr<send_request>& request, create_plan command,
                        const std::shared_ptr<pending_send>& out) const {
  join(request, std::move(command), [*this, out, request](const result<sent>& joined) {
    if (has_just_ended(joined, *request))
      return send_text(std::move(request->command), out, request);
    if (!joined)
      return out->on_reply(joined.error());
    out->set_objective(objective_id{joined->context});
    if (!out->waits())
      return out->on_reply(*joined);
    watch(out, *joined);
  });
}

/// Of a task that is there, and may have ended.
void service::watch(const std::shared_ptr<pending_send>& out, const sent& taken) const {
  records_.snapshot_task(taken.task, out, [out, taken](const result<task_snapshot>& found) {
    out->watch_on(taken.task);
    if (!found || !found->record || ends_waiting(found->record->status.state))
      out->note_settled();
    out->on_reply(taken);
  });
}

/// Its task is there and may have ended.
void service::show_again(const std::shared_ptr<pending_send>& out, result<sent> known) const {
  if (!known || known->answer)
    return out->on_reply(std::move(known));
  const auto go_on = [*this, out, taken = *known] {
    if (out->waits())
      watch(out, taken);
    else
      out->on_reply(taken);
  };
  if (known->objective.empty())
    return go_on();
  out->set_objective(known->objective);
  records_.read_objective(known->objective, [out, go_on](const result<objective_ptr>& whole) {
    if (whole && !has_tasks(**whole))
      out->stop_waiting();
    go_on();
  });
}

// -- streaming ------------------------------------------------------------------------------------

void service::send(send_request&& request, std::shared_ptr<feed> source,
                   reply<stream_start> done) const {
  if (auto ok = admit(request.command.who, operation::send_message); !ok)
    return done(ok.error());
  const auto shared = std::make_shared<send_request>(std::move(request));
  const auto sender = shared->command.who;
  const auto begin = [*this, shared, source, done](new_work asked, const reply<sent>&) {
    const auto who = shared->command.who;
    const auto send_plainly = [*this, shared, source, who, done] {
      const bool may_be_new = shared->command.message.task_id.empty();
      take(std::move(shared->command), may_be_new ? source->live() : nullptr, shared,
           [*this, source, who, done](const result<sent>& taken) {
             if (!taken)
               return done(taken.error());
             if (taken->answer || taken->repeated)
               return show_again(who, source, taken, done);
             if (!taken->created)
               return open(taken->task, who, source,
                           [done, before = taken->status_before](result<stream_start> begun) {
                             if (begun)
                               begun->status_before = before;
                             done(std::move(begun));
                           });
             source->follow(make_task_source(records_, taken->task, who));
             done(stream_start{
                 .task = taken->task, .source = source, .objective = nullptr, .answer = nullptr});
           });
    };
    if (asked.known)
      return show_again(who, source, *asked.known, done);
    if (asked.plan)
      return join(shared, std::move(*asked.plan),
                  [*this, shared, source, who, done, send_plainly](const result<sent>& joined) {
                    if (has_just_ended(joined, *shared))
                      return send_plainly();
                    if (!joined)
                      return done(joined.error());
                    open(joined->task, who, source, done);
                  });
    if (asked.objective)
      return create_for(shared, std::move(*asked.objective),
                        [*this, source, who, done](const result<objective_ptr>& made) {
                          if (!made)
                            return done(made.error());
                          open((*made)->root_task, who, source,
                               [objective = *made, done](result<stream_start> begun) {
                                 if (begun)
                                   begun->objective = objective;
                                 else if (is_not_found(begun.error().code))
                                   begun = gone_at_once(objective->root_task.str());
                                 done(std::move(begun));
                               });
                        });
    send_plainly();
  };
  gateway_.send_once(
      std::move(shared->command),
      [*this, sender, source, done](const result<sent>& known) {
        show_again(sender, source, known, done);
      },
      [*this, shared, begin, done](send_message first, const reply<sent>&) {
        shared->command = std::move(first);
        prepare(
            shared, [done](const result<sent>& refused) { done(refused.error()); }, begin);
      });
}

void service::show_again(const principal& who, std::shared_ptr<feed> source,
                         const result<sent>& known, reply<stream_start> done) const {
  if (!known)
    return done(known.error());
  if (known->answer)
    return done(
        stream_start{.task = {}, .source = nullptr, .objective = nullptr, .answer = known->answer});
  if (known->objective.empty())
    return open(known->task, who, std::move(source), std::move(done));
  records_.read_objective(
      known->objective, [*this, task = known->task, who, source = std::move(source),
                         done = std::move(done)](const result<objective_ptr>& found) {
        if (!found)
          return done(found.error());
        open(task, who, source, [objective = *found, done](result<stream_start> begun) {
          if (begun)
            begun->objective = objective;
          done(std::move(begun));
        });
      });
}

} // namespace troupe
