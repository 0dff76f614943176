#include "actors/task/task_decision.hpp"

#include "actors/commands/message_rules.hpp"
#include "actors/task/answer_form.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace troupe {

namespace {

error not_allowed(const task_life& life, task_event on) {
  return make_error(errc::invalid_transition, "a task that is "
                                                  + std::string{to_string(life.status.state)}
                                                  + " cannot " + std::string{to_string(on)});
}

/// An open question ends with what asked it: it is withdrawn or, if a deadline has ended that, it
/// has expired.
void end_question(const task_life& life, const std::string& reason, bool is_late,
                  task_events& out) {
  if (life.question && is_late)
    out.push_back(question_expired{life.question->id});
  else if (life.question)
    out.push_back(question_withdrawn{life.question->id, reason});
}

/// What a question keeps that is asked again after a restart.
void take_over(const question& before, question& again) {
  again.opened = before.opened;
  again.claim = before.claim;
  again.reminders = before.reminders;
  if (before.remind_at && again.remind_at)
    again.remind_at = std::min(*before.remind_at, *again.remind_at);
  if (again.reminders >= question_reminders_max)
    again.remind_at.reset();
}

/// The claim of the open question that keeps `by` away; null: none.
const input_claim* claim_against(const task_life& life, std::string_view by, bool overrides,
                                 timestamp now) {
  const auto* held = life.question && !overrides ? live_claim(life.question.get(), now) : nullptr;
  return held && held->by != by ? held : nullptr;
}

} // namespace

result<task_decision> decide(const task_life& life, const attempt_begins& fact, const task_terms&,
                             task_events& out) {
  const auto to = next_state(life.status.state, task_event::start);
  if (!to)
    return not_allowed(life, task_event::start);
  const auto number = life.attempt + (fact.goes_on && life.attempt > 0 ? 0 : 1);
  if (fact.keeps_question && life.question) {
    out.push_back(
        task_moved{life.status.state, number, life.status.message, life.failures, fact.taken_by});
    return task_decision{task_effect::start_agent};
  }
  end_question(life, "the attempt that asked has ended", false, out);
  out.push_back(task_moved{*to, number, nullptr, life.failures, fact.taken_by});
  return task_decision{task_effect::start_agent};
}

result<task_decision> decide(const task_life& life, const attempt_resumes&, const task_terms&,
                             task_events& out) {
  if (phase_of(life) != task_phase::slot || life.attempt == 0 || life.awaits_retry)
    return not_allowed(life, task_event::start);
  out.push_back(task_resumed{});
  return task_decision{task_effect::start_agent};
}

result<task_decision> decide(const task_life& life, const slot_wanted&, const task_terms&,
                             task_events& out) {
  if (life.status.state != task_state::working || life.is_queued)
    return not_allowed(life, task_event::start);
  out.push_back(task_queued{});
  return task_decision{};
}

result<task_decision> decide(const task_life& life, const question_asked& fact,
                             const task_terms& terms, task_events& out) {
  const auto& asked = fact.asked;
  const auto on = asked.auth ? task_event::ask_auth : task_event::ask;
  const bool is_open = fact.before && life.question && life.question->id == fact.before->id;
  const auto to = next_state(is_open ? task_state::working : life.status.state, on);
  if (!to || life.awaits_retry)
    return not_allowed(life, on);
  auto opened = std::make_shared<question>();
  opened->id = fact.before ? fact.before->id : make_question_id(life.questions + 1);
  opened->attempt = life.attempt;
  opened->kind = asked.auth ? question_kind::auth : question_kind::input;
  opened->prompt = asked.prompt;
  opened->key = asked.key;
  opened->form = asked.form;
  opened->data = asked.data;
  opened->opened = terms.now;
  if (asked.open_for)
    opened->deadline = terms.now + *asked.open_for;
  if (asked.remind_after) {
    opened->remind_after =
        std::max<std::chrono::milliseconds>(*asked.remind_after, remind_after_min);
    opened->remind_at = terms.now + opened->remind_after;
  }
  if (fact.before)
    take_over(*fact.before, *opened);
  const boost::json::object named{
      {question_id_key, question_address{task_id{fact.task}, opened->id}.str()}};
  out.push_back(question_opened{std::move(opened)});
  out.push_back(task_moved{*to, life.attempt, terms.say(asked.prompt, named), life.failures});
  return task_decision{};
}

result<task_decision> decide(const task_life& life, const input_given& command,
                             const task_terms& terms, task_events& out) {
  if (!command.question.empty() && (!life.question || life.question->id != command.question))
    return refusal_of_answer(life, command.task, command.question);
  if (is_terminal(life.status.state))
    return task_has_ended(command.task);
  const bool asks = is_interrupted(life.status.state);
  if (!asks && (command.answers || command.action != answer_action::accept))
    return no_question(command.task);
  if (life.status.state == task_state::unspecified)
    return task_has_not_begun(command.task);
  if (!asks) {
    out.push_back(task_message{command.message});
    return task_decision{task_effect::give_input};
  }
  if (const auto* held = claim_against(life, command.by, command.overrides, terms.now))
    return is_claimed(question_address{task_id{command.task}, life.question->id}.str(), *held);
  if (life.question && command.action == answer_action::accept && command.message)
    if (auto fits = check_answer(life.question.get(), *command.message); !fits)
      return fits.error();
  if (life.question)
    out.push_back(question_answered{life.question->id, std::string{command.by},
                                    command.message ? command.message->message_id : std::string{},
                                    command.action});
  // The move comes first, because it puts the question into the history, before the answer.
  out.push_back(task_moved{*next_state(life.status.state, task_event::answer), life.attempt,
                           nullptr, life.failures});
  out.push_back(task_message{command.message});
  return task_decision{command.action == answer_action::accept ? task_effect::give_answer
                                                               : task_effect::question_closed};
}

result<task_decision> decide(const task_life& life, const question_claim& command,
                             const task_terms& terms, task_events& out) {
  if (!life.question || life.question->id != command.question)
    return refusal_of_answer(life, command.task, command.question);
  const auto& asked = life.question.get();
  if (const auto* held = claim_against(life, command.by, command.overrides, terms.now))
    return is_claimed(question_address{task_id{command.task}, asked.id}.str(), *held);
  if (!command.releases) {
    const timestamp until = terms.now + claim_lease;
    out.push_back(question_claimed{
        asked.id,
        {std::string{command.by}, asked.deadline ? std::min(until, *asked.deadline) : until}});
  } else if (asked.claim) {
    out.push_back(question_released{asked.id, std::string{command.by}});
  }
  return task_decision{};
}

result<task_decision> decide(const task_life& life, const reminder_due& fact,
                             const task_terms& terms, task_events& out) {
  if (!life.question || !life.question->remind_at)
    return no_question(fact.task);
  const auto& asked = life.question.get();
  const auto count = asked.reminders + 1;
  const boost::json::object metadata{
      {question_id_key, question_address{task_id{fact.task}, asked.id}.str()},
      {reminder_key, count}};
  out.push_back(
      question_reminded{asked.id, terms.say(asked.prompt, metadata), life.status.state, count});
  return task_decision{};
}

result<task_decision> decide(const task_life& life, const question_ends& fact,
                             const task_terms& terms, task_events& out) {
  const auto to = next_state(life.status.state, task_event::answer);
  if (!to || !life.question || life.question->id != fact.id)
    return make_error(errc::no_question, "the question is already closed", fact.id);
  if (fact.how == question_end::expired)
    out.push_back(question_expired{fact.id});
  else
    out.push_back(question_withdrawn{fact.id, fact.reason});
  out.push_back(task_moved{*to, life.attempt,
                           fact.reason.empty() ? nullptr : terms.say(fact.reason, {}),
                           life.failures});
  return task_decision{task_effect::question_closed};
}

result<task_decision> decide(const task_life& life, const attempt_fails& fact,
                             const task_terms& terms, task_events& out) {
  const auto failures = life.failures + 1;
  const auto count = std::to_string(failures) + " of " + std::to_string(terms.retry.attempts_max);
  const bool again = fact.failure.retry && failures < terms.retry.attempts_max;
  const auto on = again ? task_event::start : task_event::fail;
  const auto to = next_state(life.status.state, on);
  if (!to || life.awaits_retry)
    return not_allowed(life, on);
  end_question(life, "the attempt that asked has failed", fact.is_late, out);
  if (!again) {
    const bool counts = fact.failure.retry && terms.retry.attempts_max > 1;
    const auto text = fact.failure.reason + (counts ? " (attempt " + count + ")" : "");
    out.push_back(
        task_moved{*to, life.attempt, text.empty() ? nullptr : terms.say(text, {}), failures});
    return task_decision{task_effect::end};
  }
  const auto wait = backoff_after(terms.retry, failures, fact.random);
  const auto text = "attempt " + count + " failed: " + fact.failure.reason + "; the next one in "
                    + seconds_text(wait);
  out.push_back(task_moved{*to, life.attempt, terms.say(text, {}), failures});
  return task_decision{task_effect::back_off, wait};
}

result<task_decision> decide(const task_life& life, const task_ends& command,
                             const task_terms& terms, task_events& out) {
  const auto to = next_state(life.status.state, command.how);
  if (!to || !is_terminal(*to))
    return not_allowed(life, command.how);
  end_question(life, "the task has ended", command.is_late, out);
  out.push_back(task_moved{
      *to, life.attempt, command.text.empty() ? nullptr : terms.say(command.text, command.metadata),
      life.failures});
  return task_decision{task_effect::end};
}

std::chrono::milliseconds backoff_after(const retry_policy& policy, std::uint32_t failures,
                                        std::uint64_t random) {
  const auto doubled =
      static_cast<double>(policy.backoff.count()) * std::exp2(std::min(failures - 1, 40u));
  const auto capped = std::min(doubled, static_cast<double>(policy.backoff_max.count()));
  const auto share = static_cast<double>(random >> 11) * 0x1.0p-53;
  return std::chrono::milliseconds{
      static_cast<std::int64_t>(capped * (1.0 - policy.jitter * share))};
}

std::uint64_t backoff_random(const task_id& task, std::uint32_t failures) noexcept {
  // FNV-1a over the id, then the finalizer of splitmix64: ids differ in few bits.
  std::uint64_t mixed = 0xcbf29ce484222325U;
  for (const unsigned char each : task.str())
    mixed = (mixed ^ each) * 0x100000001b3U;
  mixed += failures * 0x9e3779b97f4a7c15U;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
  return mixed ^ (mixed >> 31);
}

std::string seconds_text(std::chrono::milliseconds span) {
  auto text = std::to_string(static_cast<double>(span.count()) / 1000.0);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.')
    text.pop_back();
  return text + " s";
}

} // namespace troupe
