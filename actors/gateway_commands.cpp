// What the gateway does with each command.
#include "actors/acceptance.hpp"
#include "actors/fingerprint.hpp"
#include "actors/gateway_impl.hpp"
#include "actors/live_bytes.hpp"
#include "actors/message_rules.hpp"
#include "actors/objective_actor.hpp"
#include "actors/once_answer.hpp"
#include "actors/task_actor.hpp"
#include "protocol/a2a/request_path.hpp"
#include "protocol/fold/limits.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/opt/given_answers.hpp"
#include "protocol/opt/hitl.hpp"
#include <troupe/actors/gateway.hpp>
#include <troupe/protocol/unshared.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace troupe {

namespace {

// The fallback of a command whose objective actor ended before it looked at it; never seen outside.
const error dropped{};
constexpr int command_tries_max = 8;

error is_elsewhere(const std::string& id, const std::string& address) {
  return make_error(errc::not_here,
                    troupe::quoted(id) + " is served by " + address + "; send the request there",
                    id);
}

error moves_for_long(const std::string& id) {
  return make_error(errc::unavailable,
                    troupe::quoted(id) + " is being moved to another server; try again", id);
}

error objective_is_ending(const objective_id& id) {
  return make_error(errc::unavailable, "the objective is ending now; try again", id.str());
}

/// Several questions are open, and the answer may be for any of them. The ids of the first
/// questions_named_max are in the message and in the details.
error is_ambiguous(const std::vector<pending_input>& asked) {
  error out = make_error(errc::ambiguous_input,
                         std::to_string(asked.size()) + " questions are open", "message.metadata");
  json_writer data(out.details);
  data.begin_object().key("count").number(asked.size()).key("inputIds").begin_array();
  for (std::size_t i = 0; i < std::min(asked.size(), questions_named_max); ++i) {
    const auto id = question_address{asked[i].task, asked[i].question}.str();
    out.message.append(i == 0 ? ": " : ", ").append(shown(id));
    data.string(id);
  }
  if (asked.size() > questions_named_max)
    out.message += ", ...";
  data.end_array().end_object();
  return out;
}

/// The question that an answer to the root task is for: that of the task which its metadata names,
/// or the only one.
result<pending_input> question_for(const objective_view& objective, const message& answer) {
  std::string wanted;
  for (const auto key : {asking_task_key, std::string_view{"troupe/v1/taskId"}})
    if (const auto* named = answer.metadata.if_contains(key); named && named->is_string())
      wanted = named->get_string();
  const auto& asked = objective.pending_inputs;
  if (wanted.empty() && asked.size() > 1)
    return is_ambiguous(asked);
  for (const auto& question : asked)
    if (wanted.empty() || question.task.str() == wanted)
      return question;
  return wanted.empty()
             ? make_error(errc::no_question, "no task of this objective waits for input", "")
             : no_question(wanted);
}

/// Adds the ids that a client chose for the plan and its tasks.
void add_chosen_ids(const plan_spec& plan, std::vector<std::string>& to) {
  if (!plan.id.empty())
    to.push_back(plan.id.str());
  for (const auto& task : plan.tasks)
    if (!task.id.empty())
      to.push_back(task.id.str());
}

/// The plans that a change brings, as plans/create would check them, and the ids that a client
/// chose for them.
result<void> check_new_plans(const modify_objective& command, const agent_registry& agents,
                             std::vector<std::string>& chosen) {
  for (std::size_t i = 0; i < command.operations.size(); ++i) {
    const auto* added = std::get_if<new_plan>(&command.operations[i]);
    if (!added)
      continue;
    auto ok = check_plan(*added->spec, 0, agents);
    if (ok)
      ok = check_chosen_ids(*added->spec, command.id, std::nullopt);
    if (!ok) {
      constexpr std::string_view first = "/plans/0";
      auto why = ok.error();
      why.field = "/operations/" + std::to_string(i)
                  + (why.field.starts_with(first) ? why.field.substr(first.size()) : "");
      return why;
    }
    add_chosen_ids(*added->spec, chosen);
  }
  return {};
}

// Commands about different kinds of objects may have the same `request_id`.
constexpr std::string_view kind_of(const cancel_task&) noexcept {
  return "task ";
}
constexpr std::string_view kind_of(const create_objective&) noexcept {
  return "objective ";
}
constexpr std::string_view kind_of(const update_objective&) noexcept {
  return "objective ";
}
constexpr std::string_view kind_of(const modify_objective&) noexcept {
  return "objective ";
}
template<class PlanCommand>
constexpr std::string_view kind_of(const PlanCommand&) noexcept {
  return "plan ";
}

/// An answer in kagent's words becomes one in ours (docs/questions.md, "In kagent's words"), if it
/// is for the question of the task that is open. `question` is the one that it names, or empty.
result<void> translate_answer(message& said, answer_action& action, const task& asking,
                              const std::string& question) {
  if (!asking.question || (!question.empty() && question != asking.question->id))
    return {};
  const auto id = question_address{asking.id, asking.question->id}.str();
  auto read = hitl::read_response(said, asking.question.get(), id);
  if (!read)
    return read.error();
  if (!*read)
    return {};
  auto& answer = **read;
  const auto* words = answer.value.if_string();
  said.parts.clear();
  said.parts.push_back(words != nullptr ? text_part(std::string{*words})
                                        : data_part(std::move(answer.value)));
  action = answer.action;
  return {};
}

/// The same for an answer that is on its way to the task.
result<void> translate_answer(provide_input& input, const task& asking) {
  auto said = *input.message;
  if (auto ok = translate_answer(said, input.action, asking, input.question); !ok)
    return ok;
  if (said.parts != input.message->parts)
    input.message = std::make_shared<const message>(std::move(said));
  return {};
}

bool has_pins(const message& in) {
  for (const auto& part : in.parts)
    if (part.metadata.contains(reference_artifact_key))
      return true;
  return false;
}

} // namespace

// -- what may come once ---------------------------------------------------------------------------

template<class Command>
std::vector<once> gateway::impl::conditions_of(const Command& command) const {
  if (command.request_id.empty())
    return {};
  once only;
  only.kind = once_kind::request;
  only.owner = owner_of(command.who);
  only.key = std::string{kind_of(command)} + command.request_id;
  only.content = fingerprint_of(command);
  only.until = now() + request_id_window;
  return {std::move(only)};
}

template<class T, class Command, class Next>
void gateway::impl::once_only(Command& command, reply<T>& done, Next next) {
  if (command.conditions) { // The desk knows the message that this command was made of.
    auto held = holding(command.conditions, command.who, std::move(done));
    return next(command, held);
  }
  auto wanted = conditions_of(command);
  if (wanted.empty())
    return next(command, done);
  const auto shared = std::make_shared<Command>(std::move(command));
  desk.enter(std::move(wanted), [this, shared, done = std::move(done), next = std::move(next)](
                                    const result<once_ptr>& before, const once_conditions& mine) {
    if (!before)
      return done(before.error());
    if (*before)
      return answer_again(**before, shared->who, done);
    auto first = std::move(*shared);
    first.conditions = mine;
    auto held = holding(mine, first.who, done);
    next(first, held);
  });
}

template<class T>
reply<T> gateway::impl::holding(const once_conditions& conditions, const principal& who,
                                reply<T> to) {
  return [this, conditions, who, to = std::move(to)](result<T> outcome) {
    if (outcome)
      desk.leave(conditions);
    if (outcome || outcome.error() != came_before())
      return to(std::move(outcome));
    desk.find(conditions, [this, conditions, who, to](const result<once_ptr>& before) {
      desk.leave(conditions);
      if (before && *before)
        return answer_again(**before, who, to);
      to(before ? came_before() : before.error());
    });
  };
}

// -- finding --------------------------------------------------------------------------------------

template<class T, class Next>
void gateway::impl::find_references(const principal& who, const message& in, task_ptr own,
                                    reply<T> done, Next next) const {
  // Those of one message, gathered one after the other: most have none, and few have more than one.
  struct gathering : std::enable_shared_from_this<gathering> {
    gathering(const impl& of, principal by, const message& in, reply<T> to, Next then)
        : self(of), who(std::move(by)), ids(in.reference_task_ids), with_records(has_pins(in)),
          done(std::move(to)), next(std::move(then)) {}

    void go_on() {
      while (at < ids.size() && found.contains(ids[at]))
        ++at;
      if (at == ids.size())
        return next(
            [known = found](const task_id& id) {
              const auto it = known.find(id.str());
              return it == known.end() ? nullptr : it->second;
            },
            std::move(done));
      const task_id id{ids[at]};
      self.records.read_placement(
          id,
          [me = this->shared_from_this(), id](const result<placement>& where) {
            me->placed(id, where);
          },
          client_of(who));
    }

    void placed(const task_id& id, const result<placement>& where) {
      if (!where && !is_not_found(where.error().code))
        return done(where.error());
      if (!where || !owns(who, where->owner))
        return put(id, nullptr);
      if (!with_records) {
        static const auto nameless = std::make_shared<const task>();
        return put(id, nameless);
      }
      self.records.read_task(
          id,
          [me = this->shared_from_this(), id](const result<task_ptr>& record) {
            if (!record && !is_not_found(record.error().code))
              return me->done(record.error());
            me->put(id, record ? *record : nullptr);
          },
          client_of(who));
    }

    void put(const task_id& id, task_ptr record) {
      found.emplace(id.str(), std::move(record));
      go_on();
    }

    const impl& self;
    const principal who;
    const std::vector<std::string> ids;
    const bool with_records; ///< Some part names an artifact: that they exist is not enough.
    reply<T> done;
    Next next;
    std::size_t at = 0;
    std::map<std::string, task_ptr> found;
  };
  if (in.reference_task_ids.empty() || in.reference_task_ids.size() > referenced_tasks_max) {
    return next(
        [own = std::move(own)](const task_id& id) { return own && own->id == id ? own : nullptr; },
        std::move(done));
  }
  auto all = std::make_shared<gathering>(*this, who, in, std::move(done), std::move(next));
  if (own)
    all->found.emplace(own->id.str(), std::move(own));
  all->go_on();
}

template<class T>
reply<T> gateway::impl::refusing_after_commits(reply<T> to) {
  return [this, to = std::move(to)](result<T> outcome) {
    if (outcome)
      return to(std::move(outcome));
    const reply_port<T> refused{
        to, make_error(errc::unavailable,
                       "the server is stopping, and the change could not be written")};
    // An empty change: its continuation runs after all earlier changes.
    records.commit({}, [refused, why = outcome.error()] { refused(why); });
  };
}

template<class Handle, class T, class Message>
void gateway::impl::tell_live(directory<Handle>& of, const std::string& id, reply_port<T> answer,
                              Message message) {
  const auto deliver = [id, answer](const whereabouts<Handle>& found, Message& order) {
    if (const auto* local = std::get_if<here<Handle>>(&found)) {
      if (local->actor)
        tell(local->actor, std::move(order)); // else it is dropped, and its reply_port says so
    } else if (const auto* other = std::get_if<there>(&found)) {
      answer(is_elsewhere(id, other->address));
    } else {
      answer(moves_for_long(id));
    }
  };
  const auto found = of.locate(id);
  if (!std::holds_alternative<being_moved>(found))
    return deliver(found, message);
  of.wait(id, env->now() + move_wait_max,
          [deliver, message = std::move(message)](const whereabouts<Handle>& now) mutable {
            deliver(now, message);
          });
}

void gateway::impl::objective_actor_for(const objective_id& id,
                                        std::function<void(result<objective_handle>)> next,
                                        int tries) {
  const auto found = env->objectives.locate(id.str());
  if (const auto* other = std::get_if<there>(&found))
    return next(is_elsewhere(id.str(), other->address));
  if (std::holds_alternative<being_moved>(found))
    return env->objectives.wait(
        id.str(), env->now() + move_wait_max,
        [this, id, next = std::move(next), tries](const whereabouts<objective_handle>& now) {
          if (std::holds_alternative<being_moved>(now) || tries <= 1)
            next(moves_for_long(id.str()));
          else
            objective_actor_for(id, next, tries - 1);
        });
  if (const auto& live = std::get<here<objective_handle>>(found).actor)
    return next(live);
  // It has settled. What the disk says must still be so when the actor begins: if any came and went
  // meanwhile, it is read again.
  std::uint64_t entered = 0;
  {
    const std::lock_guard lock{env->entering};
    entered = env->entered;
  }
  records.read_objective(
      id, [this, id, next = std::move(next), tries, entered](const result<objective_ptr>& view) {
        if (!view)
          return next(is_not_found(view.error().code) ? unknown_of(id) : view.error());
        result<objective_handle> actor = objective_is_ending(id);
        bool is_old = false;
        {
          const std::lock_guard lock{env->entering};
          if (auto live = env->objectives.find(id.str()))
            actor = std::move(live);
          else if (env->entered != entered)
            is_old = true;
          else if (!env->stopping)
            actor = spawn_existing(**view);
        }
        if (is_old && tries > 1)
          return objective_actor_for(id, next, tries - 1);
        next(std::move(actor));
      });
}

template<class T, class Make>
void gateway::impl::command(const objective_id& id, Make make, reply<T> done, int tries) {
  const auto refusing = refusing_after_commits<T>(done);
  objective_actor_for(
      id,
      [this, id, make, done = std::move(done), refusing,
       tries](result<objective_handle> actor) mutable {
        if (!actor)
          return done(actor.error());
        tell(*actor, make(reply_port<T>{[this, id, make, done, refusing, tries](result<T> outcome) {
                                          if (outcome || outcome.error() != dropped)
                                            refusing(std::move(outcome));
                                          else if (tries > 1 && !env->stopping)
                                            command<T>(id, make, done, tries - 1);
                                          else
                                            done(objective_is_ending(id));
                                        },
                                        dropped}));
      },
      command_tries_max);
}

template<class T, class Next>
void gateway::impl::claim(std::vector<std::string> ids, const principal& who, reply<T> done,
                          Next next) {
  if (ids.empty())
    return next(std::move(done));
  records.claim_ids(
      ids,
      [this, ids, done = std::move(done), next = std::move(next)](const result<void>& ok) mutable {
        if (!ok)
          return done(ok.error());
        if (env->stopping) { // The ids were released by a request that ended because of that.
          records.release_ids(ids);
          return done(make_error(errc::unavailable, "the server is shutting down", ""));
        }
        next([this, ids = std::move(ids), done = std::move(done)](result<T> outcome) {
          records.release_ids(ids);
          done(std::move(outcome));
        });
      },
      client_of(who));
}

// -- send -----------------------------------------------------------------------------------------

void gateway::send(send_message command, watcher_ptr follow, reply<sent> done) {
  impl_->once_only(
      command, done,
      [self = impl_.get(), follow = std::move(follow)](send_message& first, reply<sent>& to) {
        if (auto ok = self->open(); !ok)
          return to(ok.error());
        if (auto ok = self->has_room(bytes_of(first.message)); !ok)
          return to(ok.error());
        if (first.message.task_id.empty())
          self->send_new(std::move(first), follow, std::move(to));
        else
          self->send_to(std::move(first), std::move(to));
      });
}

void gateway::send_once(send_message command, reply<sent> done,
                        std::function<void(send_message command, reply<sent> done)> next) {
  impl_->once_only(command, done, [next = std::move(next)](send_message& first, reply<sent>& to) {
    next(std::move(first), std::move(to));
  });
}

void gateway::impl::send_new(send_message&& command, watcher_ptr follow, reply<sent> done) {
  const auto begin = [this, follow = std::move(follow)](send_message& first, reply<sent> to) {
    const auto agent = agents.find(agents.default_agent);
    if (auto ok = agent ? check_media_types(first.message, first.accepted_output_modes, *agent)
                        : result<void>{};
        !ok)
      return to(ok.error());
    task_start start;
    start.id = task_id{thread_id_source().next("task")};
    start.agent = agents.default_agent;
    start.owner = owner_of(first.who);
    start.context = first.message.context_id.empty() ? thread_id_source().next("ctx")
                                                     : first.message.context_id;
    first.message.task_id = start.id.str();
    first.message.context_id = start.context;
    start.request = std::make_shared<const message>(std::move(first.message));
    start.request_metadata = std::move(first.metadata);
    start.accepted_output_modes = std::move(first.accepted_output_modes);
    start.trace = {std::move(first.traceparent), std::move(first.tracestate),
                   path_in(start.request->metadata)};
    start.follow = follow;
    if (first.conditions) // Most have none, and copies of the ids cost more than this question.
      start.conditions = answered(first.conditions, {.task = start.id, .context = start.context});
    start.done = {std::move(to),
                  make_error(errc::internal, "the task could not be started", start.id.str())};
    start.ready_at = now();
    static_cast<void>(spawn_lone(std::move(start)));
  };
  if (command.message.reference_task_ids.empty()) {
    const auto none = [](const task_id&) { return task_ptr{}; };
    if (auto ok = check_task_references(command.message, none); !ok)
      return done(ok.error());
    return begin(command, std::move(done));
  }
  const auto first = std::make_shared<send_message>(std::move(command));
  find_references(first->who, first->message, nullptr, std::move(done),
                  [first, begin](const find_task_fn& find, reply<sent> to) {
                    if (auto ok = check_task_references(first->message, find); !ok)
                      return to(ok.error());
                    begin(*first, std::move(to));
                  });
}

void gateway::impl::send_to(send_message&& command, reply<sent> done) {
  const task_id id{command.message.task_id};
  const auto who = command.who;
  const auto shared = std::make_shared<send_message>(std::move(command));
  place(who, id, std::move(done), [this, id, shared](placement at, reply<sent> to) {
    records.read_task(
        id,
        [this, id, shared, at = std::move(at),
         to = std::move(to)](const result<task_ptr>& record) mutable {
          if (!record || !*record)
            return to(record || is_not_found(record.error().code) ? unknown_of(id)
                                                                  : record.error());
          send_to(at, *record, std::move(*shared), std::move(to));
        },
        client_of(shared->who));
  });
}

void gateway::impl::send_to(const placement& at, const task_ptr& record, send_message&& command,
                            reply<sent> done) {
  const auto shared = std::make_shared<send_message>(std::move(command));
  find_references(
      shared->who, shared->message, record, std::move(done),
      [this, at, record, shared](const find_task_fn& find, reply<sent> to) {
        auto& text = shared->message;
        if (auto ok = check_task_references(text, find); !ok)
          return to(ok.error());
        if (!text.context_id.empty() && text.context_id != record->context)
          return to(make_error(errc::invalid_params,
                               "message.contextId is not the task's: " + record->context,
                               "message.contextId"));
        auto answers = answers_in(text);
        if (!answers)
          return to(answers.error());
        if (!answers->empty())
          return send_answers(record, *shared, std::move(*answers),
                              refusing_after_commits(std::move(to)));
        const auto id = record->id;
        const bool is_root = !record->origin && record->agent == objective_agent;
        auto named = question_address_from(shared->question);
        if (named && named->task == id)
          shared->question = named->question;
        else if (named && !is_root)
          return to(no_question(id.str()));
        const bool is_of_other = named && named->task != id; // below the root
        if (is_terminal(record->status.state) && !is_of_other)
          return to(shared->question.empty()
                        ? task_has_ended(text.task_id)
                        : refusal_of_answer(*record, id.str(), shared->question));
        const auto agent = agents.find(agents.name_or_default(record->agent));
        if (auto ok = agent ? check_media_types(text, shared->accepted_output_modes, *agent)
                            : result<void>{};
            !ok)
          return to(ok.error());
        if (!is_of_other)
          if (auto ok = translate_answer(text, shared->action, *record, shared->question); !ok)
            return to(ok.error());
        // An answer sent to a root task returns the root task, not the task that asked.
        const reply_port<task_id> accepted{
            [to = refusing_after_commits(std::move(to)), record](const result<task_id>& taken) {
              if (taken)
                to(sent{record->id, record->context, false, nullptr, record->status.at});
              else
                to(taken.error());
            },
            task_has_ended(id.str())};
        provide_input input{std::make_shared<const message>(std::move(text)), accepted};
        input.conditions =
            answered(shared->conditions, {.task = record->id, .context = record->context});
        input.by = shared->by.empty() ? shared->who.id : std::move(shared->by);
        input.action = shared->action;
        if (is_of_other)
          return send_to_question(std::move(*named), *record, shared->who, std::move(input),
                                  accepted);
        // An answer is for the question that the client saw: of two sent at once the first wins.
        input.question = shared->question.empty() && record->question ? record->question->id
                                                                      : std::move(shared->question);
        if (is_root)
          return send_to_root(*record, shared->who, std::move(input), accepted);
        tell_task(*record, std::move(input), accepted);
      });
}

void gateway::claim(const task_ptr& asking, const std::string& question, claim_input command,
                    reply<task_id> done) {
  if (auto ok = impl_->open(); !ok)
    return done(ok.error());
  const reply_port<task_id> port{impl_->refusing_after_commits(std::move(done)),
                                 task_has_ended(asking->id.str())};
  provide_input input{nullptr, port};
  input.question = question;
  input.by = command.by.empty() ? std::move(command.who.id) : std::move(command.by);
  input.claim = claim_change{command.releases, command.overrides};
  impl_->tell_task(*asking, std::move(input), port);
}

void gateway::impl::tell_task(const task& record, provide_input input,
                              const reply_port<task_id>& done) {
  if (!record.origin)
    return tell_live(env->lone_tasks, record.id.str(), done, std::move(input));
  tell_live(
      env->objectives, record.context, done,
      objective_message{record.origin.plan_index, record.origin.task_index, {}, std::move(input)});
}

/// An answer to a root task that names the question of a task of its objective.
void gateway::impl::send_to_question(question_address asked, const task& root, const principal& who,
                                     provide_input input, reply_port<task_id> done) {
  input.answers = true;
  input.question = std::move(asked.question);
  const auto no_such = no_question(asked.task.str());
  troupe::place(records, who, asked.task, reply<task_id>{done},
                [this, id = asked.task, context = root.context, who, no_such,
                 input = std::move(input)](const placement& at, reply<task_id> to) mutable {
                  if (at.objective.str() != context)
                    return to(no_such);
                  records.read_task(
                      id,
                      [this, id, at, to = std::move(to),
                       input = std::move(input)](const result<task_ptr>& record) mutable {
                        if (!record || !*record)
                          return to(record ? unknown_of(id) : record.error());
                        if (is_terminal((*record)->status.state))
                          return to(refusal_of_answer(**record, id.str(), input.question));
                        if (auto ok = translate_answer(input, **record); !ok)
                          return to(ok.error());
                        const reply_port<task_id> port{std::move(to), task_has_ended(id.str())};
                        input.done = port;
                        tell_live(env->objectives, at.objective.str(), port,
                                  objective_message{at.plan, at.task, id, std::move(input)});
                      },
                      client_of(who));
                });
}

/// An answer to a root task is for the question of its objective that it names. The question is
/// looked for in the committed view: the client saw it there, perhaps before the objective's actor.
void gateway::impl::send_to_root(const task& root, const principal& who, provide_input input,
                                 reply_port<task_id> done) {
  auto to_asking = [this, context = root.context, done](const pending_input& asked,
                                                        provide_input answer) {
    answer.answers = true;
    tell_live(env->objectives, context, done,
              objective_message{asked.plan, asked.index, asked.task, std::move(answer)});
  };
  records.read_objective(
      objective_id{root.context},
      [this, who, input = std::move(input), done,
       to_asking](const result<objective_ptr>& view) mutable {
        if (!view)
          return done(view.error());
        const auto asked = question_for(**view, *input.message);
        if (!asked)
          return done(asked.error());
        if (!input.question.empty())
          return to_asking(*asked, std::move(input));
        records.read_task(
            asked->task,
            [this, asked = *asked, input = std::move(input), done,
             to_asking](const result<task_ptr>& record) mutable {
              if (!record)
                return done(record.error());
              if ((*record)->question)
                input.question = (*record)->question->id;
              if (auto ok = translate_answer(input, **record); !ok)
                return done(ok.error());
              to_asking(asked, std::move(input));
            },
            client_of(who));
      },
      client_of(who));
}

// -- cancel ---------------------------------------------------------------------------------------

void gateway::cancel(cancel_task command, reply<task_ptr> done) {
  impl_->once_only(command, done, [self = impl_.get()](cancel_task& first, reply<task_ptr>& to) {
    self->cancel(std::move(first), std::move(to));
  });
}

void gateway::impl::cancel(cancel_task command, reply<task_ptr> done) {
  const auto id = command.id;
  const auto who = command.who;
  const auto shared = std::make_shared<cancel_task>(std::move(command));
  place(who, id, std::move(done), [this, id, shared](const placement&, reply<task_ptr> to) {
    records.read_task(
        id,
        [this, id, shared, to = std::move(to)](const result<task_ptr>& found) mutable {
          if (!found || !*found)
            return to(found || is_not_found(found.error().code) ? unknown_of(id) : found.error());
          const auto& record = *found;
          if (record->status.state == task_state::canceled && shared->refuses_repeated)
            return to(make_error(errc::task_not_cancelable,
                                 "task " + troupe::quoted(shown(id.str())) + " is canceled already",
                                 id.str()));
          if (record->status.state == task_state::canceled)
            return to(record);
          const auto refusal =
              make_error(errc::task_not_cancelable, "the task has ended already", id.str());
          if (is_terminal(record->status.state))
            return to(refusal);
          if (bytes_of(shared->metadata) > cancel_metadata_bytes_max)
            return to(make_error(errc::limit_exceeded,
                                 "the metadata of a cancel has more than "
                                     + std::to_string(cancel_metadata_bytes_max)
                                     + " bytes (cancel_metadata_bytes_max)",
                                 "metadata"));
          const reply_port<task_ptr> answer{refusing_after_commits(std::move(to)), refusal};
          cancel_run order{"canceled by request", std::move(shared->metadata), answer,
                           owner_of(shared->who),
                           answered(shared->conditions, {.task = record->id})};
          if (!record->origin && record->agent != objective_agent)
            return tell_live(env->lone_tasks, id.str(), answer, std::move(order));
          const bool root = !record->origin;
          tell_live(env->objectives, record->context, answer,
                    objective_cancel{root, record->origin.plan_index, record->origin.task_index,
                                     std::move(order)});
        },
        client_of(shared->who));
  });
}

// -- objectives -----------------------------------------------------------------------------------

void gateway::has_live_objective(const principal& who, const objective_id& id,
                                 reply<bool> done) const {
  if (!impl_->env->objectives.find(id.str()))
    return done(false);
  impl_->records.read_placement(
      id,
      [who, done = std::move(done)](const result<placement>& at) {
        if (!at && !is_not_found(at.error().code))
          return done(at.error());
        done(at && owns(who, at->owner));
      },
      client_of(who));
}

bool gateway::impl::is_for_default_agent(const objective_spec& spec) const {
  bool has_tasks = false;
  for (const auto& plan : spec.plans) {
    if (!troupe::is_for_default_agent(*plan, agents))
      return false;
    has_tasks = has_tasks || !plan->tasks.empty();
  }
  return has_tasks;
}

void gateway::create(create_objective command, watcher_ptr follow, reply<objective_ptr> done) {
  impl_->once_only(command, done,
                   [self = impl_.get(), follow = std::move(follow)](create_objective& first,
                                                                    reply<objective_ptr>& to) {
                     if (auto ok = self->open(); !ok)
                       return to(ok.error());
                     if (auto ok = self->has_room(live_bytes_of(first.spec)); !ok)
                       return to(ok.error());
                     self->create(std::move(first), follow, std::move(to));
                   });
}

/// The rules of messages hold also for a message that brings an objective. Its media types are
/// checked if the default agent does all tasks. Then the objective itself is checked, and the ids
/// that the client chose for it.
void gateway::impl::create(create_objective command, watcher_ptr follow,
                           reply<objective_ptr> done) {
  const auto shared = std::make_shared<create_objective>(std::move(command));
  const auto after_message = [this, shared, follow = std::move(follow)](reply<objective_ptr> to) {
    auto resolved = check_new_objective(shared->spec, agents);
    if (!resolved)
      return to(resolved.error());
    create_named(std::move(*shared), std::move(*resolved), follow, std::move(to));
  };
  if (!shared->request)
    return after_message(std::move(done));
  find_references(
      shared->who, *shared->request, nullptr, std::move(done),
      [this, shared, after_message](const find_task_fn& find, reply<objective_ptr> to) {
        if (auto ok = check_task_references(*shared->request, find); !ok)
          return to(ok.error());
        shared->spec.references = references_in(*shared->request);
        const auto agent = agents.find(agents.default_agent);
        if (agent && is_for_default_agent(shared->spec))
          if (auto ok = check_media_types(*shared->request, shared->accepted_output_modes, *agent);
              !ok)
            return to(ok.error());
        after_message(std::move(to));
      });
}

void gateway::impl::create_named(create_objective command, resolved_objective resolved,
                                 watcher_ptr follow, reply<objective_ptr> done) {
  auto spec = std::make_shared<objective_spec>(std::move(command.spec));
  std::vector<std::string> chosen;
  if (!spec->id.empty())
    chosen.push_back(spec->id.str());
  for (const auto& plan : spec->plans)
    add_chosen_ids(*plan, chosen);
  const auto known = std::make_shared<resolved_objective>(std::move(resolved));
  const auto who = command.who;
  auto begin = [this, spec = std::move(spec), known, who = std::move(command.who),
                trace = shared_trace({std::move(command.traceparent), std::move(command.tracestate),
                                      command.request ? path_in(command.request->metadata)
                                                      : std::vector<std::string>{}}),
                request = std::move(command.request), starts = command.start,
                conditions = std::move(command.conditions),
                follow = std::move(follow)](reply<objective_ptr> to) {
    if (spec->id.empty())
      spec->id = objective_id{thread_id_source().next("obj")};
    if (spec->name.empty())
      spec->name = spec->id.str();
    if (const auto most = options.parallel_max;
        most > 0 && (spec->parallel_max == 0 || spec->parallel_max > most))
      spec->parallel_max = most;
    // Filled in before it is shared.
    for (std::size_t p = 0; p < spec->plans.size(); ++p)
      name_plan(unshared(spec->plans[p]), spec->id, p);
    const auto id_of = [&spec](const task_position& at) {
      return spec->plans[at.plan]->tasks[at.task].id;
    };
    for (std::size_t p = 0; p < spec->plans.size(); ++p)
      note_dependencies(unshared(spec->plans[p]), static_cast<std::uint32_t>(p), known->plans[p],
                        id_of);
    objective_start start;
    start.view.id = spec->id;
    start.by = owner_of(who);
    start.create = objective_created{spec, {}, *start.by, trace};
    if (request) {
      start.create->root_task = task_id{thread_id_source().next("task")};
      start.request = request;
    }
    start.resolved = std::move(*known);
    start.start = starts;
    start.follow = follow;
    start.conditions = answered(conditions, {.objective = spec->id});
    start.done = {std::move(to),
                  make_error(errc::internal, "the objective could not be created", spec->id.str())};
    spawn_actor<objective_actor>(*system, *env, std::move(start));
  };
  claim(std::move(chosen), who, std::move(done), std::move(begin));
}

void gateway::update(update_objective command, reply<objective_ptr> done) {
  impl_->once_only(command, done,
                   [self = impl_.get()](update_objective& first, reply<objective_ptr>& to) {
                     self->update(std::move(first), std::move(to));
                   });
}

void gateway::impl::update(update_objective command, reply<objective_ptr> done) {
  const auto id = command.id;
  const auto who = command.who;
  place(who, id, std::move(done),
        [this, id, command = std::move(command)](const placement&, reply<objective_ptr> to) {
          if (command.wrong)
            return to(*command.wrong);
          if (auto ok = has_room(command.edited); !ok)
            return to(ok.error());
          this->command<objective_ptr>(
              id,
              [command](reply_port<objective_ptr> port) {
                return change_objective{command, std::move(port)};
              },
              std::move(to), command_tries_max);
        });
}

// -- plans ----------------------------------------------------------------------------------------

void gateway::create(create_plan command, reply<plan_id> done) {
  impl_->once_only(command, done, [self = impl_.get()](create_plan& first, reply<plan_id>& to) {
    if (auto ok = self->open(); !ok)
      return to(ok.error());
    const auto shared = std::make_shared<create_plan>(std::move(first));
    self->place(shared->who, shared->objective, std::move(to),
                [self, shared](const placement&, reply<plan_id> next) {
                  self->create(std::move(*shared), std::move(next));
                });
  });
}

void gateway::impl::create(create_plan command, reply<plan_id> done) {
  if (command.wrong)
    return done(*command.wrong);
  if (auto ok = has_room(live_bytes_of(command.spec)); !ok)
    return done(ok.error());
  if (auto ok = check_plan(command.spec, 0, agents); !ok)
    return done(ok.error());
  if (auto ok = check_chosen_ids(command.spec, command.objective, std::nullopt); !ok)
    return done(ok.error());
  std::vector<std::string> chosen;
  add_chosen_ids(command.spec, chosen);
  const auto who = command.who;
  auto add = [this, id = command.objective,
              spec = std::make_shared<plan_spec>(std::move(command.spec)), starts = command.start,
              starts_objective = command.starts_objective, if_revision = command.if_revision,
              by = owner_of(command.who),
              conditions = std::move(command.conditions)](reply<plan_id> to) {
    this->command<plan_id>(
        id,
        [=](reply_port<plan_id> port) {
          return add_plan{spec, starts,          starts_objective, if_revision,
                          by,   std::move(port), conditions};
        },
        std::move(to), command_tries_max);
  };
  claim(std::move(chosen), who, std::move(done), std::move(add));
}

void gateway::update(update_plan command, reply<plan_id> done) {
  impl_->once_only(command, done, [self = impl_.get()](update_plan& first, reply<plan_id>& to) {
    self->update(std::move(first), std::move(to));
  });
}

void gateway::impl::update(update_plan command, reply<plan_id> done) {
  const auto id = command.id;
  const auto who = command.who;
  place(who, id, std::move(done),
        [this, command = std::move(command)](const placement& at, reply<plan_id> to) {
          if (command.wrong)
            return to(*command.wrong);
          if (auto ok = has_room(command.edited); !ok)
            return to(ok.error());
          this->command<plan_id>(
              at.objective,
              [command](reply_port<plan_id> port) {
                return move_plan{command, std::move(port)};
              },
              std::move(to), command_tries_max);
        });
}

// What changes nothing may come as often as it likes.
void gateway::change(change_plan command, reply<change_report> done) {
  if (command.dry_run)
    command.request_id.clear();
  impl_->once_only(command, done,
                   [self = impl_.get()](change_plan& first, reply<change_report>& to) {
                     self->change(std::move(first), std::move(to));
                   });
}

void gateway::impl::change(change_plan command, reply<change_report> done) {
  if (auto ok = open(); !ok)
    return done(ok.error());
  const auto id = command.id;
  const auto who = command.who;
  place(who, id, std::move(done),
        [this, command = std::move(command)](const placement& at, reply<change_report> to) {
          if (command.wrong)
            return to(*command.wrong);
          if (auto ok = has_room(live_bytes_of(command.operations)); !ok)
            return to(ok.error());
          if (auto ok = check_operations(command.operations, agents); !ok)
            return to(ok.error());
          this->command<change_report>(
              at.objective,
              [command](reply_port<change_report> port) {
                return reshape_plan{command, std::move(port)};
              },
              std::move(to), command_tries_max);
        });
}

void gateway::change(modify_objective command, reply<change_report> done) {
  if (command.dry_run)
    command.request_id.clear();
  impl_->once_only(command, done,
                   [self = impl_.get()](modify_objective& first, reply<change_report>& to) {
                     self->change(std::move(first), std::move(to));
                   });
}

void gateway::impl::change(modify_objective command, reply<change_report> done) {
  if (auto ok = open(); !ok)
    return done(ok.error());
  const auto id = command.id;
  const auto who = command.who;
  place(who, id, std::move(done),
        [this, id, command = std::move(command)](const placement&, reply<change_report> to) {
          if (command.wrong)
            return to(*command.wrong);
          if (auto ok = has_room(bytes_of(command.operations)); !ok)
            return to(ok.error());
          std::vector<std::string> chosen;
          if (auto ok = check_new_plans(command, agents, chosen); !ok)
            return to(ok.error());
          const auto by = command.who;
          claim(std::move(chosen), by, std::move(to),
                [this, id, command](reply<change_report> answer) {
                  this->command<change_report>(
                      id,
                      [command](reply_port<change_report> port) {
                        return reshape_objective{command, std::move(port)};
                      },
                      std::move(answer), command_tries_max);
                });
        });
}

} // namespace troupe
