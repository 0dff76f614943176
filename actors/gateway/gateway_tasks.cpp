// The commands about tasks: send, answer, claim a question, cancel.
#include "actors/commands/message_rules.hpp"
#include "actors/gateway/gateway_steps.hpp"
#include "actors/objective/objective_actor.hpp"
#include "actors/task/cancel_answer.hpp"
#include "actors/task/task_actor.hpp"
#include "protocol/a2a/request_path.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/opt/given_answers.hpp"
#include "protocol/opt/hitl.hpp"
#include <troupe/actors/gateway.hpp>
#include <troupe/actors/limits.hpp>

#include <algorithm>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

namespace troupe {

namespace {

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

/// The task whose question is answered, as the metadata of an answer to the root task says. Empty
/// if the metadata does not say it.
std::string named_task(const message& answer) {
  std::string out;
  for (const auto key : {asking_task_key, std::string_view{"troupe/v1/taskId"}})
    if (const auto* named = answer.metadata.if_contains(key); named && named->is_string())
      out = named->get_string();
  return out;
}

/// The question that an answer to the root task is for: that of the task which its metadata names,
/// or the only one.
result<pending_input> question_for(const objective_view& objective, const message& answer) {
  const auto wanted = named_task(answer);
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

/// The question that a root task showed last, if it was the only one then.
std::optional<question_address> last_question_of(const task& root) {
  const auto asked_by = [](const message_ptr& said) -> std::optional<question_address> {
    const auto* id =
        said && said->from == role::agent ? said->metadata.if_contains(question_id_key) : nullptr;
    return id && id->is_string() ? question_address_from(id->get_string()) : std::nullopt;
  };
  if (auto found = asked_by(root.status.message))
    return found;
  for (const auto& said : root.history | std::views::reverse)
    if (auto found = asked_by(said))
      return found;
  return std::nullopt;
}

/// `no_question`, or what became of the question that the client has probably seen.
error refusal_of_late_answer(const error& no_question, const question_address& seen,
                             const task& asked) {
  auto refusal = refusal_of_answer(asked, seen.task.str(), seen.question);
  const bool is_closed = refusal.code == errc::already_answered
                         || refusal.code == errc::input_expired
                         || refusal.code == errc::input_withdrawn;
  return is_closed ? refusal : no_question;
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

} // namespace

// -- send -----------------------------------------------------------------------------------------

void gateway::send(send_message command, watcher_ptr follow, reply<sent> done) {
  impl_->once_only(
      command, done,
      [self = impl_.get(), follow = std::move(follow)](send_message& first, reply<sent>& to) {
        if (auto ok = self->open(); !ok)
          return to(ok.error());
        const auto beside = first.message.task_id.empty() ? live_task_bytes : 0;
        if (auto ok = self->has_room(beside + bytes_of(first.message)); !ok)
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

result<void> gateway::impl::admit_path(const boost::json::object& metadata,
                                       const std::string& traceparent,
                                       const std::string& tracestate) const {
  const auto path = request_path(metadata, tracestate);
  if (path.empty() && traceparent.empty())
    return {};
  std::call_once(gates_known, [this] {
    for (const auto& name : agents.names())
      if (auto* gate = dynamic_cast<request_gate*>(agents.find(name).get()))
        gates.push_back(gate);
  });
  for (auto* gate : gates)
    if (auto ok = gate->admit(path, traceparent); !ok)
      return ok;
  return {};
}

void gateway::impl::send_new(send_message&& command, watcher_ptr follow, reply<sent> done) {
  if (auto ok = admit_path(command.message.metadata, command.traceparent, command.tracestate); !ok)
    return done(ok.error());
  const auto begin = [this, follow = std::move(follow)](send_message& first, reply<sent> to) {
    const auto agent = agents.find(agents.default_name());
    if (auto ok = agent ? check_media_types(first.message, first.accepted_output_modes, *agent)
                        : result<void>{};
        !ok)
      return to(ok.error());
    task_start start;
    start.id = task_id{thread_id_source().next("task")};
    start.agent = agents.default_name();
    start.owner = owner_of(first.who);
    start.context = first.message.context_id.empty() ? thread_id_source().next("ctx")
                                                     : first.message.context_id;
    first.message.task_id = start.id.str();
    first.message.context_id = start.context;
    start.request = std::make_shared<const message>(std::move(first.message));
    start.request_metadata = std::move(first.metadata);
    start.accepted_output_modes = std::move(first.accepted_output_modes);
    auto path = request_path(start.request->metadata, first.tracestate);
    start.trace = {std::move(first.traceparent), std::move(first.tracestate), std::move(path)};
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
        // An answer sent to a root task returns the root task, not the task that asked, and is in
        // the history of both. If the process dies between the two, the root's history lacks it.
        auto kept = said_to_root(text, *record);
        const reply_port<task_id> accepted{
            [this, to = refusing_after_commits(std::move(to)), record, kept = std::move(kept),
             before = is_root ? record->status.at : timestamp{}](const result<task_id>& taken) {
              if (!taken)
                return to(taken.error());
              const sent answer{record->id, record->context, false, nullptr, before};
              if (!kept)
                return to(answer);
              keep_in_root(*record, kept, [to, answer] { to(answer); });
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

void gateway::impl::keep_in_root(const task& root, message_ptr answer,
                                 const std::function<void()>& then) {
  // The answer has been taken, so an error of the root task changes nothing.
  const reply_port<task_id> port{[then](const result<task_id>&) { then(); },
                                 task_has_ended(root.id.str())};
  tell_live(env->objectives, root.context, port, root_said{std::move(answer), port});
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
      [this, who, input = std::move(input), done, to_asking,
       last = last_question_of(root)](const result<objective_ptr>& view) mutable {
        if (!view)
          return done(view.error());
        const auto asked = question_for(**view, *input.message);
        if (!asked && asked.error().code == errc::no_question && last
            && named_task(*input.message).empty())
          return records.read_task(
              last->task,
              [done, why = asked.error(), seen = *last](const result<task_ptr>& record) {
                done(record && *record ? refusal_of_late_answer(why, seen, **record) : why);
              },
              client_of(who));
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
          const auto within = take_cancel_wait(shared->metadata);
          const auto joined = std::make_shared<cancel_answer<task>>(std::move(to));
          const reply_port<task_ptr> answer{
              refusing_after_commits<task_ptr>(
                  [joined](result<task_ptr> ended) { joined->on_record(std::move(ended)); }),
              refusal};
          cancel_run order{"canceled by request", std::move(shared->metadata), answer,
                           owner_of(shared->who),
                           answered(shared->conditions, {.task = record->id})};
          order.leaves = joined->share(within);
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

} // namespace troupe
