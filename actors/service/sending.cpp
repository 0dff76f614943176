// What a message that is sent asks for, and how it is taken: as a task, as input, as an objective
// or as a plan of one, with everything that may come with it.
#include "actors/service/sending.hpp"

#include "actors/commands/message_rules.hpp"
#include "actors/commands/once_answer.hpp"
#include "actors/commands/once_desk.hpp"
#include "actors/commands/placing.hpp"
#include "actors/planning/asking.hpp"
#include "actors/planning/planned_objective.hpp"
#include "actors/service/known_objective.hpp"
#include "actors/service/objective_of_message.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

/// Whether the planner is asked what becomes of it. It reads texts only: of other parts it would
/// say nothing.
bool is_to_be_planned(const send_request& request, planning_desk& desk) {
  const auto& said = request.command.message;
  return request.planning && desk.is_on() && said.task_id.empty()
         && std::ranges::all_of(said.parts, [](const part& piece) {
              return std::holds_alternative<text_content>(piece.content);
            });
}

planning_query query_of(const send_request& request) {
  const auto& wishes = *request.planning;
  planning_query out;
  out.request.text = text_of(request.command.message.parts);
  out.request.is_active = true;
  out.request.prefers_objective = wishes.prefers_objective;
  out.request.suggested_name = wishes.name;
  out.request.template_name = wishes.template_name;
  for (const auto& member : wishes.params)
    out.request.params.emplace(member.key(), member.value());
  out.message = std::make_shared<const message>(request.command.message);
  out.accepted_output_modes = request.command.accepted_output_modes;
  return out;
}

/// With the verdict in `request.planned`, if the message is to be planned, `next` is called; else
/// at once. `in`: the objective in whose context it is; empty: in none.
void with_verdict(gateway& by, const std::shared_ptr<send_request>& request, const std::string& in,
                  reply<sent> refused, std::function<void(reply<sent>)> next) {
  auto& desk = by.planning();
  if (!is_to_be_planned(*request, desk))
    return next(std::move(refused));
  auto query = query_of(*request);
  query.objective = in;
  query.request.is_within_objective = !in.empty();
  query.asks_planner = !in.empty();
  if (request->objective && request->objective->objective)
    query.message = nullptr; // It asks for an objective, not for an answer.
  auto take = [&by, request, in, refused = std::move(refused),
               next = std::move(next)](const result<planned_message_ptr>& planned) {
    if (!planned && planned.error().code != errc::internal) // then it is a plain task
      return refused(planned.error());
    if (planned) {
      request->planned = *planned;
      if (!in.empty())
        count_used(by, objective_id{in}, (*planned)->used);
    }
    next(refused);
  };
  with_so_far(
      by, objective_id{in}, std::move(query),
      [&desk, take = std::move(take)](planning_query with) { desk.ask(std::move(with), take); });
}

planner::decision verdict_of(const send_request& request) {
  return request.planned ? request.planned->made.outcome : planner::decision::plain_task;
}

/// What the grammar has not understood, templates that fit equally well, a row that has failed, and
/// what models have used in vain, are shown with the task that the message becomes.
void note_problems(send_request& request) {
  if (!request.planned)
    return;
  const auto& made = request.planned->made;
  if (!made.problems.empty() || !made.ambiguous.empty() || request.planned->has_failed_row
      || request.planned->used.calls > 0)
    request.command.metadata[planner::planner_key] = request.planned->note();
}

/// Why a message joins no objective although it is in the context of one: a plan is made of text,
/// and would lose all else. As a task of its own it would stand outside the objective.
error why_not_joined(const message& said) {
  if (!said.reference_task_ids.empty())
    return refers_to_tasks();
  for (std::size_t i = 0; i < said.parts.size(); ++i)
    if (!std::holds_alternative<text_content>(said.parts[i].content)) {
      const auto field = "message.parts[" + std::to_string(i) + "]";
      return make_error(errc::content_type_not_supported,
                        field
                            + ": a message into the context of an objective becomes a task of it "
                              "and may have texts only; send other parts to a task (taskId), or "
                              "in another context",
                        field);
    }
  return make_error(errc::invalid_params,
                    "message.parts: a message into the context of an objective becomes a task of "
                    "it and must have a text",
                    "message.parts");
}

/// A copy of the request that has an objective_wish of its own, and no `push`.
std::shared_ptr<send_request> copy_of(const send_request& request) {
  auto out = std::make_shared<send_request>(request);
  out->objective = std::make_shared<objective_wish>(*request.objective);
  out->push.reset();
  return out;
}

} // namespace

bool is_planned_at_once(const send_request& request) {
  return verdict_of(request) == planner::decision::objective && request.planning->answers_at_once;
}

bool may_join(const message& sent) {
  return sent.task_id.empty() && !sent.context_id.empty();
}

bool has_just_ended(const result<sent>& joined, const send_request& request) {
  const auto* wish = request.objective.get();
  const bool brings_documents = wish && (wish->objective || wish->plan) && !request.planned;
  return !joined && joined.error().code == errc::invalid_transition && !brings_documents;
}

/// Begins a message without a context as its verdict says. A message that was not planned has no
/// verdict: it begins as its wish says.
template<class Next, class Create>
void service::begin_planned(send_request& request, const Next& next, const Create& create,
                            const reply<sent>& to) {
  switch (verdict_of(request)) {
    case planner::decision::direct_answer:
      return next(new_work{.answer = request.planned->answer}, to);
    case planner::decision::objective: request.objective.reset(); return create(to);
    case planner::decision::ask_model: {
      request.objective.reset();
      auto made = objective_to_plan(request);
      return next(new_work{.objective = std::move(made), .is_to_be_planned = true}, to);
    }
    default: break;
  }
  if (request.objective && !request.planned)
    return create(to);
  note_problems(request);
  next(new_work{}, to);
}

/// The plans that the verdict has made join the objective of the context, as a change of the author
/// `planner`; if it has made none, a plan for what the text says.
template<class Next>
void service::join_planned(const std::shared_ptr<send_request>& request, const Next& next,
                           const reply<sent>& to) const {
  if (!request->planned) {
    auto said = plan_of_message(*request);
    return said ? next(new_work{.plan = std::move(said)}, to)
                : to(why_not_joined(request->command.message));
  }
  objective_spec made;
  if (verdict_of(*request) == planner::decision::objective)
    made = *request->planned->made.objective;
  else if (auto said = plan_of_message(*request))
    made.plans.push_back(std::make_shared<const plan_spec>(std::move(said->spec)));
  if (made.plans.empty())
    return to(why_not_joined(request->command.message));
  auto plans = plans_to_add(made, request->planned->note());
  if (plans.size() == 1)
    plans.front().id = {}; // no other one names it
  request->objective = std::make_shared<objective_wish>();
  auto& wish = *request->objective;
  wish.objective.emplace();
  wish.objective->id = objective_id{request->command.message.context_id};
  for (auto& each : plans)
    wish.objective->plans.push_back(std::make_shared<const plan_spec>(std::move(each)));
  join_known(gateway_, records_, pushes_, request, [next, to](result<sent> joined) {
    if (!joined && joined.error().code == errc::invalid_transition) // It has just ended.
      return next(new_work{}, to);
    if (!joined)
      return to(joined.error());
    next(new_work{.known = std::move(*joined)}, to);
  });
}

/// A direct answer. If the message may come again, its answer is kept.
void service::answer_directly(const std::shared_ptr<send_request>& request, message_ptr said,
                              reply<sent> done) const {
  sent out;
  out.context = said->context_id;
  out.answer = said;
  const auto conditions = std::exchange(request->command.conditions, nullptr);
  if (!conditions)
    return done(std::move(out));
  troupe::change kept;
  kept.at = request->planned->at;
  kept.conditions = answered(conditions, {.message = std::move(said)});
  records_.commit(std::move(kept),
                  [done = std::move(done), out, conditions](const commit_outcome& outcome) {
                    done(outcome.conflict ? result<sent>{came_before()} : result<sent>{out});
                  });
}

/// Calls `next` with the objective or the plan that the message asks for, if it does; else
/// `refused` with an error.
void service::prepare(std::shared_ptr<send_request> request, reply<sent> refused,
                      next_step next) const {
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
    const bool brings_plans =
        wish && (wish->plan || (wish->objective && !wish->objective->plans.empty()));
    // The plans of an objective that brings none are what the text says.
    const auto begin = [&by = gateway_, request, go_on, brings_plans](reply<sent> to) {
      if (brings_plans)
        return go_on(std::move(to));
      with_verdict(by, request, {}, std::move(to), go_on);
    };
    if (auto known = named_objective(*request); !known.empty())
      return gateway_.has_live_objective(
          request->command.who, known,
          [*this, request, next, begin, refuse](const result<bool>& is_live) {
            if (!is_live)
              return refuse(is_live.error());
            if (!*is_live) {
              request->if_known = copy_of(*request);
              return begin(refuse);
            }
            join_known(gateway_, records_, pushes_, request, [next, refuse](result<sent> joined) {
              if (!joined)
                return refuse(joined.error());
              next(new_work{.known = std::move(*joined)}, refuse);
            });
          });
    if (wish && (wish->objective || (wish->plan && sent_text.context_id.empty())))
      return begin(std::move(refuse));
    if (!may_join(sent_text))
      return with_verdict(gateway_, request, {}, std::move(refuse),
                          [request, next, go_on](const reply<sent>& to) {
                            begin_planned(*request, next, go_on, to);
                          });
    const auto& who = request->command.who;
    const objective_id joined{sent_text.context_id};
    gateway_.has_live_objective(
        who, joined,
        [*this, request, next, go_on, wish, joined, refuse](const result<bool>& is_live) {
          if (!is_live)
            return refuse(is_live.error());
          if (wish && wish->plan)
            return *is_live ? next(new_work{.plan = plan_of_message(*request)}, refuse)
                            : go_on(refuse);
          // Plans of the planner join only a live objective. A new objective would get the id of
          // the context, and the answer would tell the sender if another client has an object of
          // that id.
          with_verdict(gateway_, request, *is_live ? joined.str() : std::string{}, refuse,
                       [*this, request, next, is_live = *is_live](const reply<sent>& to) {
                         if (verdict_of(*request) == planner::decision::direct_answer)
                           return next(new_work{.answer = request->planned->answer}, to);
                         if (is_live)
                           return join_planned(request, next, to);
                         note_problems(*request);
                         next(new_work{}, to);
                       });
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
      if (!taken || taken->answer) // there is no task
        return done(std::move(taken));
      request->push->task = taken->task;
      const auto then = [taken, done](const result<push_config>&) { done(taken); };
      if (taken->repeated)
        pushes->attach_again(std::move(*request->push), may_be_new, then);
      else
        pushes->attach(std::move(*request->push), may_be_new, then);
    };
  gateway_.send(std::move(command), std::move(follow), std::move(done));
}

void service::create_for(const std::shared_ptr<send_request>& request, create_objective command,
                         reply<objective_ptr> done) const {
  if (!command.spec.id.empty())
    done = [*this, joining = request->if_known, who = command.who, id = command.spec.id,
            done = std::move(done)](result<objective_ptr> made) {
      if (made || made.error().code != errc::duplicate_id)
        return done(std::move(made));
      join_made(joining, who, id, made.error(), done);
    };
  gateway_.create(std::move(command), nullptr, with_push(request, std::move(done)));
}

void service::plan_for(const std::shared_ptr<send_request>& request, create_objective command,
                       reply<objective_ptr> done) const {
  create_planning(gateway_, std::move(command), query_of(*request),
                  with_push(request, std::move(done)));
}

/// For the answer to a message that came before. Its command may be moved from when `done` is
/// called.
reply<sent> service::with_push_again(const std::shared_ptr<send_request>& request,
                                     reply<sent> done) const {
  if (!request->push)
    return done;
  request->push->owner = request->command.who;
  return [pushes = pushes_, request, may_be_new = request->command.message.task_id.empty(),
          done = std::move(done)](result<sent> known) {
    if (!known || known->answer || known->task.empty())
      return done(std::move(known));
    request->push->task = known->task;
    pushes->attach_again(std::move(*request->push), may_be_new,
                         [known, done](const result<push_config>&) { done(known); });
  };
}

/// The push configuration of the message is for the root task.
reply<objective_ptr> service::with_push(const std::shared_ptr<send_request>& request,
                                        reply<objective_ptr> done) const {
  if (!request->push)
    return done;
  return [pushes = pushes_, request, done = std::move(done)](result<objective_ptr> made) {
    if (!made)
      return done(std::move(made));
    request->push->task = (*made)->root_task;
    pushes->attach(std::move(*request->push), true,
                   [made, done](const result<push_config>&) { done(made); });
  };
}

/// The objective of that id was made while the message was on its way: `joining` joins it, if it is
/// its sender's, goes on, and has a root task. Else `done` gets `refused`, explained.
void service::join_made(const std::shared_ptr<send_request>& joining, const principal& who,
                        const objective_id& id, const error& refused,
                        reply<objective_ptr> done) const {
  const auto explain = [&records = records_, who, id, refused, done] {
    explain_duplicate(records, who, id, refused, done);
  };
  if (!joining)
    return explain();
  const auto show = [&records = records_, who, id, done, explain](const result<sent>& joined) {
    if (!joined)
      return done(joined.error());
    records.read_objective(
        id,
        [done, explain](result<objective_ptr> now) {
          if (now && (*now)->root_task.empty())
            return explain();
          done(std::move(now));
        },
        client_of(who));
  };
  gateway_.has_live_objective(who, id,
                              [*this, joining, explain, show](const result<bool>& is_live) {
                                if (!is_live || !*is_live)
                                  return explain();
                                join_known(gateway_, records_, pushes_, joining, show);
                              });
}

/// Adds the plan of the message to the objective, which begins if it has not. The message keeps to
/// the rules of one that brings an objective; what it refers to has no place in a plan. `done`
/// gets the task that stands for the objective or, if none does or it has ended, the first task of
/// the plan.
void service::join(const std::shared_ptr<send_request>& request, create_plan command,
                   reply<sent> done) const {
  if (command.spec.tasks.empty())
    return done(
        make_error(errc::invalid_params, "opt/v1/plan: \"tasks\" has no task", "message.metadata"));
  const auto& sent_text = request->command.message;
  if (!sent_text.reference_task_ids.empty())
    return done(refers_to_tasks());
  const auto& agents = gateway_.agents();
  const auto agent = agents.find(agents.default_name());
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
    show_plan(who, *made, [&records = records_, who, attach, done](const result<placed_plan>& at) {
      if (!at)
        return done(at.error());
      const auto& objective = *at->objective;
      sent taken{.task = objective.root_task,
                 .context = objective.id.str(),
                 .created = false,
                 .answer = nullptr};
      const auto first = objective.plans[at->index].task_at(0);
      if (taken.task.empty()) {
        taken.task = first;
        return attach(std::move(taken), done);
      }
      // The root task of an objective that is tried again has ended for good (A2A 1.0 section 3.1).
      records.read_task(
          objective.root_task,
          [taken, first, attach, done](const result<task_ptr>& root) mutable {
            if (root && *root && is_terminal((*root)->status.state))
              taken.task = first;
            attach(std::move(taken), done);
          },
          client_of(who));
    });
  });
}

} // namespace troupe
