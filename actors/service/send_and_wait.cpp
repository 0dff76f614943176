// Sending a message, and waiting for what comes of it.
#include "actors/commands/placing.hpp"
#include "actors/feed/change_wait.hpp"
#include "actors/service/sending.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

/// Whether there is anything that could come to an end by itself.
bool has_tasks(const objective_view& objective) {
  return std::any_of(objective.plans.begin(), objective.plans.end(),
                     [](const plan_view& plan) { return !plan.tasks.empty(); });
}

} // namespace

std::shared_ptr<pending_send> service::send(send_request&& request,
                                            std::function<void()> notify) const {
  auto out = std::make_shared<pending_send>(records_, request.waits, std::move(notify));
  if (!request.push && !request.objective && !request.planning
      && !may_join(request.command.message)) { // most messages
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
    if (asked.answer)
      answer_directly(shared, std::move(asked.answer), [*this, out](result<sent> answered) {
        show_again(out, std::move(answered));
      });
    else if (asked.objective && asked.is_to_be_planned)
      send_planning(shared, std::move(*asked.objective), out);
    else if (asked.objective)
      send_objective(shared, std::move(*asked.objective), out);
    else if (asked.plan)
      send_plan(shared, std::move(*asked.plan), out);
    else if (asked.known) {
      if (is_planned_at_once(*shared))
        out->stop_waiting();
      show_again(out, std::move(*asked.known));
    } else
      send_text(std::move(shared->command), out, shared);
  };
  auto again = with_push_again(
      shared, [*this, out](result<sent> known) { show_again(out, std::move(known)); });
  gateway_.send_once(
      std::move(shared->command), std::move(again),
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
    if (!out->waits() && taken->status_before != timestamp{})
      return show_next_status(out, *taken);
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
  create_for(request, std::move(command), [*this, request, out](const result<objective_ptr>& made) {
    show_made(request, out, made, made && has_tasks(**made));
  });
}

/// The planner makes the plan later.
void service::send_planning(const std::shared_ptr<send_request>& request, create_objective command,
                            const std::shared_ptr<pending_send>& out) const {
  plan_for(request, std::move(command), [*this, request, out](const result<objective_ptr>& made) {
    show_made(request, out, made, true);
  });
}

void service::show_made(const std::shared_ptr<send_request>& request,
                        const std::shared_ptr<pending_send>& out, const result<objective_ptr>& made,
                        bool may_end) const {
  if (!made)
    return out->on_reply(made.error());
  const auto root = (*made)->root_task;
  sent taken{root, (*made)->id.str(), true, nullptr};
  out->set_objective((*made)->id);
  if (request->planning && request->planning->answers_at_once)
    out->stop_waiting();
  if (!out->waits() || !may_end) {
    out->stop_waiting();
    return out->on_reply(std::move(taken));
  }
  watch(out, taken);
}

void service::send_plan(const std::shared_ptr<send_request>& request, create_plan command,
                        const std::shared_ptr<pending_send>& out) const {
  join(request, std::move(command), [*this, out, request](const result<sent>& joined) {
    if (has_just_ended(joined, *request))
      return send_text(std::move(request->command), out, request);
    if (!joined)
      return out->on_reply(joined.error());
    out->set_objective(objective_id{joined->context});
    if (is_planned_at_once(*request))
      out->stop_waiting();
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

/// The root task that took an answer shows the question until the objective has heard of it.
void service::show_next_status(const std::shared_ptr<pending_send>& out, const sent& taken) const {
  records_.snapshot_task(taken.task, out, [out, taken](const result<task_snapshot>& found) {
    if (found && found->record)
      out->watch_on(taken.task);
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

} // namespace troupe
