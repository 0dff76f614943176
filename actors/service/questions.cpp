// What is asked about questions, and their answers. An answer is a message to the task that asks.
#include "actors/commands/message_rules.hpp"
#include "actors/commands/placing.hpp"
#include "actors/feed/feed.hpp"
#include "actors/feed/question_source.hpp"
#include "actors/service/service.hpp"
#include "protocol/opt/given_answers.hpp"

#include <utility>

namespace troupe {

namespace {

bool knows(const task& record, const std::string& question) {
  return (record.question && record.question->id == question)
         || find_closed(record, question) != nullptr;
}

std::optional<input_claim> claim_of(const question& asked, timestamp now) {
  const auto* held = live_claim(asked, now);
  return held != nullptr ? std::optional(*held) : std::nullopt;
}

/// A request that comes again is the same message.
std::string message_id_of(const answer_input& command) {
  return command.request_id.empty() ? thread_id_source().next("answer")
                                    : "answer-" + command.request_id;
}

} // namespace

void service::list(const list_inputs& query, reply<shown_input_page> done) const {
  if (auto ok = admit(query.who, operation::list_inputs); !ok)
    return done(ok.error());
  reply<input_page> with_claims = [now = gateway_.now(),
                                   done = std::move(done)](const result<input_page>& found) {
    if (!found)
      return done(found.error());
    shown_input_page page{*found};
    for (const auto& asking : page.tasks)
      page.claims.push_back(claim_of(asking->question.get(), now));
    done(std::move(page));
  };
  if (query.plan.empty())
    return records_.list(query, std::move(with_claims), client_of(query.who));
  place(records_, query.who, query.plan, std::move(with_claims),
        [*this, query](const placement& at, reply<input_page> to) {
          if (!query.objective.empty() && query.objective != at.objective)
            return to(input_page{});
          auto placed = query;
          placed.objective = at.objective;
          placed.plan_index = at.plan;
          records_.list(placed, std::move(to), client_of(query.who));
        });
}

result<void> service::follow(const list_inputs& which, feed& news) const {
  if (auto ok = admit(which.who, operation::subscribe_to_inputs); !ok)
    return ok;
  news.open(make_question_source(records_, {which.objective.str(), which.task}, which.who));
  return {};
}

void service::get(const get_input& query, reply<shown_input> done) const {
  if (auto ok = admit(query.who, operation::get_input); !ok)
    return done(ok.error());
  const auto asked = question_address_from(query.id);
  const auto unknown = unknown_input(query.id);
  if (!asked)
    return done(unknown);
  get(get_task{.who = query.who, .id = asked->task, .view = {}},
      [now = gateway_.now(), question = asked->question, unknown,
       done = std::move(done)](const result<task_ptr>& found) {
        if (!found)
          return done(is_not_found(found.error().code) ? unknown : found.error());
        if (!knows(**found, question))
          return done(unknown);
        const auto& record = **found;
        shown_input out{*found, question};
        if (record.question && record.question->id == question)
          out.claim = claim_of(record.question.get(), now);
        done(std::move(out));
      });
}

void service::answer(answer_input command, reply<shown_input> done) const {
  if (auto ok = admit(command.who, operation::answer_input); !ok)
    return done(ok.error());
  // If there is no such question, that is the answer, before any other error. `asked` is made
  // before the command is moved: the compiler may evaluate arguments in any order.
  get_input asked{command.who, command.id};
  get(std::move(asked), [*this, command = std::move(command),
                         done = std::move(done)](const result<shown_input>& known) {
    if (!known)
      return done(known.error());
    if (command.wrong)
      return done(*command.wrong);
    send_message sending;
    sending.who = command.who;
    sending.message = message_of(command, (*known).task->id, message_id_of(command));
    sending.question = command.id;
    sending.action = command.action;
    sending.by = command.by;
    sending.request_id = command.request_id;
    gateway_.send(std::move(sending), nullptr,
                  [*this, who = command.who, id = command.id, done](const result<sent>& taken) {
                    if (!taken)
                      return done(taken.error());
                    get(get_input{who, id}, done);
                  });
  });
}

void service::change_claim(claim_input command, reply<shown_input> done) const {
  get_input asked{command.who, command.id};
  get(asked, [*this, asked, command = std::move(command),
              done = std::move(done)](const result<shown_input>& known) {
    if (!known)
      return done(known.error());
    if (command.wrong)
      return done(*command.wrong);
    const auto& record = *known->task;
    if (!record.question || record.question->id != known->question)
      return done(refusal_of_answer(record, record.id.str(), known->question));
    gateway_.claim(known->task, known->question, command,
                   [*this, asked, done](const result<task_id>& changed) {
                     if (!changed)
                       return done(changed.error());
                     get(asked, done);
                   });
  });
}

void service::claim(claim_input command, reply<shown_input> done) const {
  if (auto ok = admit(command.who, operation::claim_input); !ok)
    return done(ok.error());
  change_claim(std::move(command), std::move(done));
}

void service::release(claim_input command, reply<shown_input> done) const {
  if (auto ok = admit(command.who, operation::release_input); !ok)
    return done(ok.error());
  command.releases = true;
  change_claim(std::move(command), std::move(done));
}

} // namespace troupe
