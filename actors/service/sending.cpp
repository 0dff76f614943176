// Both forms of sending a message, with everything that may come with it.
#include "actors/feed/change_wait.hpp"
#include "actors/feed/store_source.hpp"
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

error gone_at_once(const std::string& id) {
  return make_error(errc::internal, "the objective was created and is gone", id);
}

} // namespace

/// Calls `next` with the objective that the message asks for, if it does; else `refused` with an
/// error.
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
    if (!request->objective)
      return next(std::optional<create_objective>{}, std::move(refuse));
    const auto go_on = [request, next](reply<sent> to) {
      auto made = objective_of_message(*request);
      if (!made)
        return to(made.error());
      next(std::optional<create_objective>{std::move(*made)}, std::move(to));
    };
    const auto& wish = *request->objective;
    const auto& context = request->command.message.context_id;
    if (wish.objective || wish.plan || context.empty())
      return go_on(std::move(refuse));
    records_.read_placement(
        objective_id(context),
        [request, next, go_on, refuse = std::move(refuse)](const result<placement>& known) {
          if (known)
            return next(std::optional<create_objective>{}, refuse);
          if (!is_not_found(known.error().code))
            return refuse(known.error());
          go_on(refuse);
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
  records_.read_placement(named, [request, check, refused](const result<placement>& at) {
    if (!at && !is_not_found(at.error().code))
      return refused(at.error());
    check(at && owns(request->command.who, at->owner), refused);
  });
}

/// Hands the message on; `done` hears of it when its push configuration is durable, too, or could
/// not be kept: the message was taken all the same.
void service::take(send_message command, watcher_ptr follow,
                   const std::shared_ptr<send_request>& with, reply<sent> done) const {
  const bool may_be_new = command.message.task_id.empty();
  if (with && with->push)
    done = [pushes = pushes_, request = with, may_be_new,
            done = std::move(done)](result<sent> taken) {
      // No task, or one that the same message made before, and its configuration with it.
      if (!taken || taken->answer || (may_be_new && !taken->created))
        return done(std::move(taken));
      request->push->task = taken->task;
      pushes->attach(std::move(*request->push), may_be_new,
                     [taken, done](const result<push_config>&) { done(taken); });
    };
  door_.send(std::move(command), std::move(follow), std::move(done));
}

void service::create_for(const std::shared_ptr<send_request>& request, create_objective command,
                         reply<objective_ptr> done) const {
  if (request->push)
    done = [pushes = pushes_, request, done = std::move(done)](result<objective_ptr> made) {
      if (!made)
        return done(std::move(made));
      request->push->task = (*made)->root_task;
      pushes->attach(std::move(*request->push), true,
                     [made, done](const result<push_config>&) { done(made); });
    };
  door_.create(std::move(command), nullptr, std::move(done));
}

// -- waiting for the outcome -------------------------------------------------------------------------------------------

std::shared_ptr<pending_send> service::send(send_request request,
                                            std::function<void()> notify) const {
  auto out = std::make_shared<pending_send>(records_, request.waits, std::move(notify));
  if (!request.push && !request.objective) { // most messages
    if (auto ok = admit(request.command.who, operation::send_message); !ok)
      out->on_reply(ok.error());
    else
      send_text(std::move(request.command), out, nullptr);
    return out;
  }
  const auto shared = std::make_shared<send_request>(std::move(request));
  prepare(
      shared, [out](result<sent> refused) { out->on_reply(std::move(refused)); },
      [*this, out, shared](std::optional<create_objective> objective, const reply<sent>&) {
        if (objective)
          send_objective(shared, std::move(*objective), out);
        else
          send_text(std::move(shared->command), out, shared);
      });
  return out;
}

void service::send_text(send_message command, const std::shared_ptr<pending_send>& out,
                        const std::shared_ptr<send_request>& with) const {
  const task_id named(command.message.task_id);
  const bool waits = out->waits();
  reply<sent> done = [&records = records_, out,
                      joins = waits && named.empty()](result<sent> taken) {
    if (!taken || taken->answer)
      return out->on_reply(std::move(taken));
    const auto task = taken->task;
    if (!joins || taken->created) {
      if (joins)
        out->watch_on(task);
      return out->on_reply(std::move(taken));
    }
    // The same message came before (docs/a2a.md, D12): its task is there and may have ended.
    records.snapshot_task(task, out,
                          [out, task, taken = std::move(taken)](const result<task_snapshot>&) {
                            out->watch_on(task);
                            out->note_settled();
                            out->on_reply(taken);
                          });
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
    records_.snapshot_task(
        root, out, [out, root, taken = std::move(taken)](const result<task_snapshot>& found) {
          out->watch_on(root);
          if (!found || !found->record || ends_waiting(found->record->status.state))
            out->note_settled();
          out->on_reply(taken);
        });
  });
}

// -- streaming ---------------------------------------------------------------------------------------------------------

void service::send(send_request request, std::shared_ptr<feed> source,
                   reply<stream_start> done) const {
  const auto shared = std::make_shared<send_request>(std::move(request));
  prepare(
      shared, [done](const result<sent>& refused) { done(refused.error()); },
      [*this, shared, source = std::move(source), done](std::optional<create_objective> objective,
                                                        const reply<sent>&) {
        const auto who = shared->command.who;
        if (objective)
          return create_for(shared, std::move(*objective),
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
        const bool may_be_new = shared->command.message.task_id.empty();
        take(std::move(shared->command), may_be_new ? source->live() : nullptr, shared,
             [*this, source, who, done](const result<sent>& taken) {
               if (!taken)
                 return done(taken.error());
               if (taken->answer)
                 return done(stream_start{
                     .task = {}, .source = nullptr, .objective = nullptr, .answer = taken->answer});
               if (!taken->created)
                 return open(taken->task, who, source, done);
               source->follow(make_task_source(records_, taken->task, who));
               done(stream_start{
                   .task = taken->task, .source = source, .objective = nullptr, .answer = nullptr});
             });
      });
}

} // namespace troupe
