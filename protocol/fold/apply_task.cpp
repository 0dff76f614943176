#include "protocol/artifact_chunks.hpp"
#include "protocol/change_size.hpp"
#include "protocol/fold/apply.hpp"
#include "protocol/fold/limits.hpp"
#include "protocol/fold/span_reason.hpp"
#include "protocol/is_one_of.hpp"
#include "protocol/text/text.hpp"
#include <troupe/protocol/unshared.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace troupe {

namespace {

void join_history(task& record, message_ptr said) {
  auto& history = record.history;
  if (record.history_bytes == 0)
    for (const auto& each : history)
      record.history_bytes += bytes_of(*each);
  record.history_bytes += bytes_of(*said);
  history.push_back(std::move(said));
  auto kept = history.begin();
  while (history.end() - kept > std::ptrdiff_t{history_messages_max}
         || (history.end() - kept > 1 && record.history_bytes > history_bytes_max))
    record.history_bytes -= bytes_of(**kept++);
  history.erase(history.begin(), kept);
}

bool is_in_history(const task& record, const message& one) noexcept {
  return std::ranges::any_of(
      record.history, [&](const message_ptr& kept) { return kept->message_id == one.message_id; });
}

/// The message that the status shows stands in the history too: somebody has answered it, and the
/// task waits for others.
bool is_answered_in_part(const task& record) noexcept {
  return record.status.message && is_interrupted(record.status.state)
         && is_in_history(record, *record.status.message);
}

std::size_t bytes_of_closed(const closed_question& closed) noexcept {
  return bytes_of(closed.asked) + closed.by.size() + closed.message.size() + closed.reason.size();
}

/// The open question is closed as `how` says, and known from then on.
void close_question(task_life& life, const std::string& id, closed_question how) {
  if (!life.question || life.question->id != id)
    return;
  how.asked = std::move(life.question.edit());
  how.asked.claim.reset();
  how.asked.remind_at.reset();
  life.question.reset();
  auto& known = life.closed.edit();
  known.push_back(std::move(how));
  std::size_t bytes = 0;
  auto kept = known.end();
  while (kept != known.begin() && known.end() - kept < std::ptrdiff_t{closed_questions_max}) {
    bytes += bytes_of_closed(*(kept - 1));
    if (bytes > closed_questions_bytes_max && kept != known.end())
      break;
    --kept;
  }
  known.erase(known.begin(), kept);
}

/// Events of a life that say nothing else to a record.
template<class Event>
inline constexpr bool concerns_life =
    is_one_of<Event, question_opened, question_answered, question_expired, question_withdrawn,
              question_claimed, question_released, question_reminded, task_queued, task_resumed>;

/// Why a phase ended with the move that the status shows now.
std::string reason_of(const task& record, task_phase phase) {
  // Another attempt runs, though this one has neither failed nor asked.
  if (phase == task_phase::running && phase_of(record) == task_phase::running)
    return std::string{interrupted_reason};
  const auto& status = record.status;
  if (status.message) {
    auto text = text_of(status.message->parts);
    text.resize(cut_utf8(text, span_reason_bytes_max));
    return text;
  }
  const bool was_answered = phase == task_phase::question && status.state == task_state::working;
  return was_answered ? "answered" : std::string{to_string(status.state)};
}

/// Keeps the phase that is over, if it took any time. `ready_at` gives the wait before the first
/// attempt unless it was created with spans, `since` and `status.at` the last run of a task that
/// has ended: so most tasks keep nothing.
void keep_span(task& record, task_phase phase, std::uint32_t attempt, timestamp at, bool moved) {
  if (phase == task_phase::running && is_terminal(record.status.state))
    return;
  const auto began = std::exchange(record.since, at);
  if ((attempt == 0 && record.details->spans.empty()) || began == at)
    return;
  auto& details = record.details.edit();
  if (details.spans.size() >= task_spans_max) {
    details.spans.erase(details.spans.begin());
    ++details.spans_dropped;
  }
  details.spans.push_back(
      {phase, std::max(attempt, 1U), began, at, moved ? reason_of(record, phase) : std::string{}});
}

template<class Event>
void apply_to_life(task& record, timestamp at, const Event& fact) {
  const auto phase = phase_of(record);
  const auto attempt = record.attempt;
  apply(static_cast<task_life&>(record), at, fact);
  if (phase_of(record) != phase || record.attempt != attempt)
    keep_span(record, phase, attempt, at, std::is_same_v<Event, task_moved>);
  if (record.details && (record.attempt != attempt || is_terminal(record.status.state)))
    record.details.edit().note.clear(); // it was of that attempt
}

} // namespace

// -- a task's life -------------------------------------------------------------------------------

void apply(task_life& life, timestamp, const task_created& created) {
  if (created.record)
    life = *created.record;
}

void apply(task_life& life, timestamp at, const task_moved& moved) {
  life.status = task_status{moved.to, moved.message, at};
  life.attempt = moved.attempt;
  life.awaits_retry = moved.failures > life.failures && !is_terminal(moved.to);
  life.failures = moved.failures;
  life.is_queued = false;
  if (!is_interrupted(moved.to))
    life.question.reset();
}

void apply(task_life& life, timestamp, const question_opened& opened) {
  if (!opened.asked || opened.asked->id != make_question_id(life.questions))
    ++life.questions;
  else if (life.closed) // The last one is asked again.
    std::erase_if(life.closed.edit(),
                  [&](const closed_question& each) { return each.asked.id == opened.asked->id; });
  if (opened.asked)
    life.question = *opened.asked;
}

void apply(task_life& life, timestamp at, const question_answered& answered) {
  close_question(life, answered.id,
                 {.asked = {},
                  .state = question_state::answered,
                  .at = at,
                  .by = answered.by,
                  .message = answered.message,
                  .action = answered.action,
                  .reason = {}});
}

void apply(task_life& life, timestamp at, const question_expired& expired) {
  close_question(life, expired.id,
                 {.asked = {},
                  .state = question_state::expired,
                  .at = at,
                  .by = {},
                  .message = {},
                  .action = answer_action::cancel,
                  .reason = {}});
}

void apply(task_life& life, timestamp at, const question_withdrawn& withdrawn) {
  close_question(life, withdrawn.id,
                 {.asked = {},
                  .state = question_state::withdrawn,
                  .at = at,
                  .by = {},
                  .message = {},
                  .action = answer_action::cancel,
                  .reason = withdrawn.reason});
}

void apply(task_life& life, timestamp, const question_claimed& claimed) {
  if (life.question && life.question->id == claimed.id)
    life.question.edit().claim = claimed.claim;
}

void apply(task_life& life, timestamp, const question_released& released) {
  if (life.question && life.question->id == released.id)
    life.question.edit().claim.reset();
}

void apply(task_life& life, timestamp at, const question_reminded& reminded) {
  if (!life.question || life.question->id != reminded.id)
    return;
  auto& asked = life.question.edit();
  asked.reminders = reminded.count;
  asked.remind_at.reset();
  if (asked.remind_after.count() > 0 && asked.reminders < question_reminders_max)
    asked.remind_at = at + asked.remind_after;
}

void apply(task_life& life, timestamp, const task_queued&) {
  life.is_queued = !is_terminal(life.status.state);
}

void apply(task_life& life, timestamp, const task_resumed&) {
  life.is_queued = false;
}

void apply_event(task_life& life, timestamp at, const event& one) {
  std::visit(
      [&](const auto& kind) {
        if constexpr (requires { apply(life, at, kind); })
          apply(life, at, kind);
      },
      one);
}

// -- a task --------------------------------------------------------------------------------------

void apply(task& record, const change& where, const task_moved& moved) {
  const auto& shown = record.status.message;
  const bool stays = shown && moved.message && shown->message_id == moved.message->message_id;
  if (shown && !stays && !is_answered_in_part(record))
    join_history(record, std::move(record.status.message));
  const bool begins = moved.attempt != record.attempt;
  apply_to_life(record, where.at, moved);
  if (is_terminal(moved.to))
    record.progress = nullptr;
  if (begins && (record.details || !moved.taken_by.empty()))
    record.details.edit().taken_by = moved.taken_by;
}

void apply(task& record, const change&, const task_message& said) {
  if (!said.message)
    return;
  if (const auto used = usage_in(*said.message); used.calls > 0)
    record.details.edit().usage += used;
  // An answer to a root task stands behind the question that it answers.
  if (said.message->from == role::user && record.status.message
      && is_interrupted(record.status.state) && !is_answered_in_part(record))
    join_history(record, message_ptr{record.status.message});
  join_history(record, said.message);
}

void apply(task& record, const change&, const task_artifact& output) {
  if (!output.artifact)
    return;
  const auto found =
      std::find_if(record.artifacts.begin(), record.artifacts.end(), [&](const artifact_ptr& held) {
        return held->artifact_id == output.artifact->artifact_id;
      });
  if (found == record.artifacts.end())
    record.artifacts.push_back(output.artifact);
  else if (output.append)
    append_chunk(unshared(*found),
                 *output.artifact); // many small chunks must not copy it each time
  else
    *found = output.artifact;
}

void apply(task& record, const change&, const task_progress& news) {
  if (!is_terminal(record.status.state))
    record.progress = news.progress;
}

void apply(task& record, const change&, const task_noted& noted) {
  if (!is_terminal(record.status.state))
    record.details.edit().note = noted.note;
}

void apply_event(task& record, const change& where, const event& one) {
  std::visit(
      [&](const auto& kind) {
        if constexpr (requires { apply(record, where, kind); })
          apply(record, where, kind);
        else if constexpr (concerns_life<std::remove_cvref_t<decltype(kind)>>)
          apply_to_life(record, where.at, kind);
      },
      one);
}

void apply(task& record, const change& of) {
  for (const auto& one : of.events)
    apply_event(record, of, one);
}

} // namespace troupe
