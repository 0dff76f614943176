// A message with answers to several questions: all of them are taken, or none.
#include "actors/commands/joint_answer.hpp"
#include "actors/commands/message_rules.hpp"
#include "actors/commands/once_answer.hpp"
#include "actors/gateway/gateway_impl.hpp"
#include "actors/objective/objective_actor.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/opt/given_answers.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace troupe {

namespace {

/// By this message, which came before: the process died after some of its answers were durable.
/// Only where messages are remembered (`conditions`) is one with the same id the same message.
bool is_taken(const task& record, const given_answer& given) {
  const auto* closed = find_closed(record, given.asked.question);
  return closed && closed->state == question_state::answered
         && closed->message == given.said.message_id;
}

/// Says which of the answers it is about.
error said_of(const question_address& asked, error why) {
  if (why != came_before())
    why.message.insert(0, shown(asked.str()) + ": ");
  return why;
}

} // namespace

/// `named`: the task that the message names, whose context is that of all who ask.
void gateway::impl::send_answers(const task_ptr& named, const send_message& command,
                                 std::vector<given_answer> answers, reply<sent> done) {
  // The tasks that ask, read one after the other.
  struct finding : std::enable_shared_from_this<finding> {
    finding(impl& of, task_ptr context_of, const send_message& sending,
            std::vector<given_answer> given, reply<sent> to)
        : self(of), named(std::move(context_of)), who(sending.who),
          by(sending.by.empty() ? sending.who.id : sending.by),
          accepted_output_modes(sending.accepted_output_modes),
          conditions(answered(sending.conditions, {.task = named->id, .context = named->context})),
          answers(std::move(given)), done(std::move(to)),
          said(said_to_root(sending.message, *named)) {}

    void go_on() {
      if (asking.size() == answers.size())
        return give();
      const auto& id = answers[asking.size()].asked.task;
      reply<sent> refused = [me = shared_from_this()](const result<sent>& why) {
        me->refuse(is_not_found(why.error().code) ? me->unknown() : why.error());
      };
      self.place(who, id, std::move(refused),
                 [me = shared_from_this(), id](const placement&, const reply<sent>& to) {
                   me->self.records.read_task(
                       id,
                       [me, to](const result<task_ptr>& record) {
                         if (!record)
                           return to(record.error());
                         me->found(*record);
                       },
                       client_of(me->who));
                 });
    }

    void found(const task_ptr& record) {
      const auto& next = answers[asking.size()];
      if (!record || record->context != named->context)
        return refuse(unknown());
      if (conditions.empty() || !is_taken(*record, next)) {
        if (is_terminal(record->status.state))
          return refuse(refusal_of_answer(*record, record->id.str(), next.asked.question));
        const auto agent = self.agents.find(self.agents.name_or_default(record->agent));
        if (auto ok = agent ? check_media_types(next.said, accepted_output_modes, *agent)
                            : result<void>{};
            !ok)
          return refuse(ok.error());
        open.push_back(asking.size());
      }
      asking.push_back(record);
      go_on();
    }

    [[nodiscard]] error unknown() const {
      const auto task = answers[asking.size()].asked.task.str();
      return make_error(errc::no_question,
                        "task " + troupe::quoted(task)
                            + " is not in the context that the message names, " + "or asks nothing",
                        task);
    }
    void refuse(error why) const { done(said_of(answers[asking.size()].asked, std::move(why))); }

    void give() {
      if (open.empty())
        return remember();
      const auto hand_over = [me = shared_from_this()](const std::shared_ptr<joint_answer>& of,
                                                       std::size_t part) {
        const auto& one = me->answers[me->open[part]];
        const auto& record = *me->asking[me->open[part]];
        const reply_port<task_id> taken{
            [of, asked = one.asked](const result<task_id>& outcome) {
              of->finish(outcome ? result<void>{} : result<void>{said_of(asked, outcome.error())});
            },
            task_has_ended(record.id.str())};
        provide_input input{std::make_shared<const message>(one.said), taken};
        input.answers = true;
        input.question = one.asked.question;
        input.by = me->by;
        input.action = one.action;
        input.joint = of;
        me->self.tell_task(record, std::move(input), taken);
      };
      const auto all = std::make_shared<joint_answer>(
          open.size(), hand_over, [me = shared_from_this()](const result<void>& taken) {
            if (taken)
              me->remember();
            else
              me->done(taken.error());
          });
      all->begin();
    }

    /// Each answer becomes durable by itself, and the message is recorded as received after all of
    /// them. If the process dies between two answers, the message comes again and brings the
    /// others.
    void remember() const {
      const sent answer{named->id, named->context, false, nullptr, named->status.at};
      const auto finish = [me = shared_from_this(), answer] {
        if (!me->said || me->open.empty())
          return me->done(answer);
        me->self.keep_in_root(*me->named, me->said, [me, answer] { me->done(answer); });
      };
      if (conditions.empty())
        return finish();
      troupe::change kept;
      kept.at = self.env->now();
      kept.conditions = conditions;
      self.env->records.commit(std::move(kept), [finish, to = done](const commit_outcome& outcome) {
        if (outcome.conflict)
          return to(came_before());
        finish();
      });
    }

    impl& self;
    const task_ptr named;
    const principal who;
    const std::string by;
    const std::vector<std::string> accepted_output_modes;
    const std::vector<once_ptr> conditions;
    const std::vector<given_answer> answers;
    const reply<sent> done;
    const message_ptr said;        ///< As the root task keeps it; null: another task is named.
    std::vector<task_ptr> asking;  ///< Those found so far.
    std::vector<std::size_t> open; ///< Answers that were not taken before, as positions.
  };
  std::make_shared<finding>(*this, named, command, std::move(answers), std::move(done))->go_on();
}

} // namespace troupe
