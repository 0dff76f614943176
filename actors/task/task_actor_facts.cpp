// The facts that a task records: its record, artifacts, progress, questions and notes as facts,
// on their way to the store.
#include "actors/commands/once_desk.hpp"
#include "actors/task/status_message.hpp"
#include "actors/task/task_actor.hpp"
#include "protocol/change_size.hpp"
#include "protocol/json/json_schema.hpp"
#include "protocol/text/text.hpp"
#include <troupe/actors/limits.hpp>
#include <troupe/protocol/ids.hpp>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace troupe {

namespace {

std::string_view unanswered_words(question_end how) {
  switch (how) {
    case question_end::expired: return "the question expired without an answer: ";
    case question_end::withdrawn: return "the question was withdrawn: ";
    case question_end::declined: return "the question was declined: ";
    case question_end::canceled: return "the question was canceled: ";
  }
  return "the question was closed: ";
}

/// True if the agent asks the same question again.
bool is_same(const question& before, const report_question& asked) {
  return before.prompt == asked.prompt && before.key == asked.key && before.form == asked.form
         && (before.kind == question_kind::auth) == asked.auth;
}

/// How it ended without an answer.
question_end end_of(const closed_question& closed) {
  if (closed.state == question_state::answered)
    return closed.action == answer_action::decline ? question_end::declined
                                                   : question_end::canceled;
  return closed.state == question_state::expired ? question_end::expired : question_end::withdrawn;
}

/// The number of the last attempt that has failed; 0: none has. If it is not known, the present
/// one.
std::uint32_t last_failed_attempt(const task& record) {
  if (record.failures == 0)
    return 0;
  const auto& spans = record.details->spans;
  const auto waited = std::find_if(spans.rbegin(), spans.rend(), [](const task_span& each) {
    return each.phase == task_phase::backoff;
  });
  return waited == spans.rend() ? record.attempt : waited->attempt;
}

} // namespace

void task_actor::ensure_created() {
  if (is_created())
    return;
  const auto now = env_.now();
  auto record = std::make_shared<task>();
  record->id = id();
  record->context = context();
  record->owner = owner();
  record->agent = agent_name();
  record->created = now;
  record->status.at = record->created;
  record->ready_at =
      details_ && details_->ready_at != timestamp{} ? details_->ready_at : record->created;
  record->since = record->created;
  if (details_ && !details_->waits.empty()) {
    record->since = details_->waits.back().end;
    record->details.edit().spans = std::exchange(details_->waits, {});
  }
  if (plan_) {
    record->origin = {plan_->spec, plan_->plan_index, task_index_};
  } else {
    record->history.push_back(lone_->request);
    record->metadata = lone_->metadata;
    if (!lone_->accepted_output_modes.empty())
      record->details.edit().accepted_output_modes = lone_->accepted_output_modes;
    if (!lone_->trace.empty())
      record->details.edit().trace = lone_->trace;
  }
  pending_.reserve(4); // Most tasks begin and end in one turn: created, working, output, ended.
  pending_.push_back(task_created{std::move(record)});
  apply_event(life_, now, pending_.back());
}

// -- how much it makes ----------------------------------------------------------------------------

/// What the task made in an earlier process is in memory again.
void task_actor::hold_output(const task& record) {
  const auto bytes = made_bytes_of(record);
  large_output_bytes_ += bytes;
  env_.memory.force(memory_account::large_output, bytes);
  if (const auto noted = record.details->note.size(); noted > 0) {
    details().note_bytes += noted;
    env_.memory.force(memory_account::small_output, noted);
  }
}

/// Counts `bytes` of what the task makes in the budget of the process; false if there is no room.
bool task_actor::charge_output(memory_account account, std::size_t bytes) {
  const auto before =
      large_output_bytes_ + small_output_bytes_ + (details_ ? details_->note_bytes : 0);
  if (before + bytes > assured_output_bytes)
    return env_.memory.charge(account, bytes);
  env_.memory.force(account, bytes);
  return true;
}

/// Counts what the agent has made. If there is no room for it, nothing is counted, and the attempt
/// fails as is returned.
std::optional<report_failed> task_actor::count_output(std::size_t bytes) {
  if (bytes == 0)
    return std::nullopt;
  const auto max = env_.options.objective_bytes_max;
  const auto before = plan_ ? plan_->made->sum() : large_output_bytes_ + small_output_bytes_;
  if (plan_ ? !plan_->made->add(bytes, max) : before + bytes > max)
    return report_failed{(plan_ ? "the tasks of the objective have made " : "the task has made ")
                             + std::to_string(before) + " bytes; with " + std::to_string(bytes)
                             + " more it would be more than the " + std::to_string(max)
                             + " that limits.objective-bytes allows",
                         false};
  const bool is_small = bytes <= small_output_bytes;
  const auto account = is_small ? memory_account::small_output : memory_account::large_output;
  if (!charge_output(account, bytes)) {
    if (plan_)
      plan_->made->take_back(bytes);
    return report_failed{env_.memory.refusal(account, bytes).message, false};
  }
  (is_small ? small_output_bytes_ : large_output_bytes_) += bytes;
  return std::nullopt;
}

/// Counts the last text of an attempt, too. A short one is not counted, because it says why the
/// attempt ended.
std::optional<report_failed> task_actor::count_text(const std::string& reason) {
  return reason.size() <= last_words_bytes_max ? std::nullopt : count_output(reason.size());
}

/// Of the agent; it is committed with what comes next.
void task_actor::add_message(message said) {
  if (said.message_id.empty())
    said.message_id = thread_id_source().next("msg");
  if (said.from == role::unspecified)
    said.from = role::agent;
  said.task_id = id().str();
  said.context_id = context();
  pending_.push_back(
      task_message{std::make_shared<const message>(std::move(said)), life_.status.state});
}

void task_actor::add_artifact(report_artifact report) {
  if (report.artifact.artifact_id.empty())
    report.artifact.artifact_id = "artifact-" + std::to_string(++artifacts_made_);
  has_artifacts_ = true;
  pending_.push_back(task_artifact{std::make_shared<const artifact>(std::move(report.artifact)),
                                   report.append, report.last_chunk});
}

void task_actor::add_progress(progress_report report) {
  auto& merger = details().progress;
  if (!merger)
    merger = std::make_unique<progress_merger>();
  if (auto ok = merger->take(std::move(report)); ok)
    show_progress_in_time();
  else if (!std::exchange(details_->progress_refused, true) && env_.options.warn)
    env_.options.warn("task " + id().str() + ": its agent's progress is refused: "
                      + ok.error().message + " (said once for each task)");
}

/// At once, or as soon as the declared rate allows. While a question is open there is none: it
/// waits for the answer.
void task_actor::show_progress_in_time() {
  if (!details_ || !details_->progress || !details_->progress->has_news()
      || life_.status.state != task_state::working)
    return;
  const auto waited = env_.now() - details_->progress_at;
  if (waited >= progress_interval
      || waited.count() < 0) // the computer's clock may have been set back
    flush_progress();
  else if (!std::exchange(details_->progress_timer, true))
    set_timer(task_timer::purpose::progress, progress_interval - waited);
}

void task_actor::flush_progress() {
  note_progress();
  commit();
}

/// The last of the progress becomes a fact, together with what follows it.
void task_actor::note_progress() {
  if (!details_ || !details_->progress || !details_->progress->has_news()
      || life_.status.state != task_state::working)
    return;
  details_->progress_at = env_.now();
  pending_.push_back(task_progress{details_->progress->show()});
}

// -- questions ------------------------------------------------------------------------------------

void task_actor::take_question(const report_question& asked) {
  if (auto full = count_output(asked.prompt.size() + bytes_of(asked.form) + bytes_of(asked.data)))
    return stop_agent(std::move(*full));
  if (const auto fault = check_schema(asked.form))
    return stop_agent(report_failed{
        "the agent asked with a form that cannot be checked: "
            + (fault->pointer.empty() ? std::string("it") : fault->pointer) + " " + fault->message,
        false});
  ask(asked);
}

void task_actor::ask(const report_question& asked) {
  if (is_asking()) {
    auto& later = details().questions;
    if (later.size() >= task_questions_max)
      return stop_agent(report_failed{"the agent asked " + std::to_string(task_questions_max + 1)
                                          + " more questions without waiting for an answer",
                                      false});
    later.push_back(asked);
    return;
  }
  if (tell_again(asked))
    return;
  auto question = asked;
  const auto* before = repeat(question);
  if (!before && is_left_open())
    static_cast<void>(take(question_ends{life_.question->id, question_end::withdrawn,
                                         "the next attempt asked something else"}));
  note_progress();
  if (!take(question_asked{question, before, id().str()}))
    return;
  if (details_)
    details_->is_left_open = false;
  if (lone_)
    env_.lone_tasks.put(lone_->id.str(), handle_of(self_));
  if (!run_)
    give_slots_back(); // nothing of it runs while it waits
  commit_wait(is_parked());
  take_held_inputs();
}

/// The open question is of an earlier process, and the agent has not asked it again yet.
bool task_actor::is_left_open() const noexcept {
  return details_ && details_->is_left_open && life_.question;
}

/// The agent waits for an answer.
bool task_actor::is_asking() const noexcept {
  return is_interrupted(life_.status.state) && !is_left_open();
}

/// An agent that begins anew, because the process ended, asks its questions again: those that were
/// asked since the last attempt failed.
void task_actor::note_questions_before(const task& record) {
  if (life_.awaits_retry || !life_.closed || !agent_ || goes_on())
    return;
  const auto failed = last_failed_attempt(record);
  for (const auto& each : life_.closed.get())
    if (each.asked.attempt > failed && each.state != question_state::withdrawn)
      details().questions_before.push_back(each.asked.id);
}

/// A question that ended in an earlier process, and that the running agent asks again, is not asked
/// again: the agent hears how it ended. False if there is none. An agent that does not run has its
/// answers in its order.
bool task_actor::tell_again(const report_question& asked) {
  if (!details_ || !run_)
    return false;
  auto& before = details_->questions_before;
  for (auto id = before.begin(); id != before.end(); ++id) {
    const auto* found = find_closed(life_, *id);
    if (!found || !is_same(found->asked, asked) || found->asked.data != asked.data)
      continue;
    const auto closed = *found;
    const auto answer = std::ranges::find(details_->inputs, closed.message,
                                          [](const message_ptr& said) { return said->message_id; });
    const bool accepts =
        closed.state == question_state::answered && closed.action == answer_action::accept;
    if (accepts && answer == details_->inputs.end())
      continue; // The record keeps no such old messages.
    before.erase(before.begin(), std::next(id));
    if (accepts) {
      begin_time();
      hand_over(*answer, true);
    } else {
      go_on_without_answer(closed.asked, end_of(closed));
    }
    return true;
  }
  return false;
}

/// If the agent has not asked the closed question again yet, it is told how the question ended when
/// it does. Returns false if it has asked it again.
bool task_actor::leave_to_agent(const std::string& question) {
  if (!details_ || !std::exchange(details_->is_left_open, false))
    return false;
  details_->questions_before.push_back(question);
  return true;
}

/// A question that an attempt asks again after a restart is the same one, which is returned; else
/// null. It keeps its deadline.
const question* task_actor::repeat(report_question& asked) {
  if (!is_left_open() || !is_same(life_.question.get(), asked))
    return nullptr;
  const auto& before = life_.question.get();
  if (before.deadline) {
    const auto left = std::max(*before.deadline - env_.now(), milliseconds{0});
    asked.open_for = asked.open_for ? std::min(*asked.open_for, left) : left;
  }
  return &before;
}

/// One question at a time is shown; the next one once that is answered.
void task_actor::ask_next() {
  if (life_.status.state != task_state::working || life_.awaits_retry || is_stopping()
      || details().questions.empty())
    return;
  const auto next = std::move(details().questions.front());
  details().questions.erase(details().questions.begin());
  ask(next);
}

/// Makes the entries of the desk fit the task: the deadline or next reminder of its open question,
/// the end of a long backoff (wait_for_retry), or no entry.
void task_actor::mind_deadline() {
  if (!life_.awaits_retry && details_ && std::exchange(details_->retries_by_desk, false))
    env_.deadlines.erase(self_->id(), task_timer::purpose::retry);
  const auto due = life_.question ? next_due(life_.question.get()) : std::nullopt;
  if (!due && !(details_ && details_->deadline))
    return;
  if (std::exchange(details().deadline, due) == due)
    return;
  if (due)
    env_.deadlines.put(handle_of(self_), task_timer::purpose::question, life_.attempt, *due);
  else
    env_.deadlines.erase(self_->id(), task_timer::purpose::question);
}

void task_actor::remind() {
  if (take(reminder_due{id().str()}))
    commit();
}

/// The open question is closed, as `how` says.
void task_actor::end_question(question_end how, const std::string& reason) {
  const auto asked = life_.question.get();
  if (!take(question_ends{asked.id, how, reason}))
    return;
  if (how != question_end::withdrawn && leave_to_agent(asked.id))
    return commit();
  commit_wait(is_parked());
  show_progress_in_time();
  go_on_without_answer(asked, how);
}

void task_actor::go_on_without_answer(const question& asked, question_end how) {
  const report_failed unanswered{std::string{unanswered_words(how)} + asked.prompt, false};
  if (!run_)
    return how == question_end::withdrawn ? wait_for_slot() : fail(unanswered);
  begin_time();
  bool goes_on = false;
  call_agent([&] { goes_on = run_->on_question_ended(asked.key, how); });
  if (run_ && !goes_on)
    stop_agent(unanswered);
  else if (run_)
    ask_next();
}

void task_actor::withdraw_question(const report_withdrawal& report) {
  if (report.key.empty())
    return;
  if (life_.question && life_.question->key == report.key)
    return end_question(question_end::withdrawn,
                        report.reason.empty() ? "the question was withdrawn" : report.reason);
  if (!details_)
    return;
  const auto withdrawn = std::erase_if(
      details_->questions, [&](const report_question& later) { return later.key == report.key; });
  if (withdrawn > 0 && run_)
    call_agent(
        [&] { static_cast<void>(run_->on_question_ended(report.key, question_end::withdrawn)); });
}

// -- notes ----------------------------------------------------------------------------------------

/// Counts a note in place of the one before. It is no output: limits.objective-bytes is not about
/// it.
std::optional<report_failed> task_actor::hold_note(std::size_t bytes) {
  auto& held = details().note_bytes;
  if (bytes > held && !charge_output(memory_account::small_output, bytes - held))
    return report_failed{env_.memory.refusal(memory_account::small_output, bytes - held).message,
                         false};
  if (bytes < held)
    env_.memory.give_back(memory_account::small_output, held - bytes);
  held = bytes;
  return std::nullopt;
}

void task_actor::keep_note(report_note report) {
  if (report.note.size() > note_bytes_max)
    return stop_agent(report_failed{"the agent left a note of " + std::to_string(report.note.size())
                                        + " bytes; at most " + std::to_string(note_bytes_max)
                                        + " are kept",
                                    false});
  if (!is_utf8(report.note))
    return stop_agent(report_failed{"the agent left a note that is not UTF-8", false});
  if (auto full = hold_note(report.note.size()))
    return stop_agent(std::move(*full));
  pending_.push_back(task_noted{std::move(report.note)});
  if (!report.tell_when_durable)
    return commit();
  commit([me = handle_of(self_), attempt = life_.attempt] {
    tell(me, attempt_committed{attempt_committed::fact::note, attempt});
  });
}

// -- to the store ---------------------------------------------------------------------------------

void task_actor::commit(committed_fn then) {
  if (!pending_.empty())
    submit(take_pending(), std::move(then));
}

/// Commits a move that begins or ends a wait; the plan is told.
void task_actor::commit_wait(bool parked, bool backing_off) {
  auto moved = take_pending();
  auto told = plan_told(moved, parked, backing_off);
  submit(std::move(moved), std::move(told));
}

/// The facts of this turn as one change.
change task_actor::take_pending() {
  mind_deadline();
  change out;
  out.context = context();
  out.task = {id(), !plan_, plan_ ? plan_->plan_index : 0, task_index_};
  out.at = env_.now();
  out.events = std::move(pending_);
  pending_.clear();
  if (details_)
    out.by = std::exchange(details_->canceled_by, std::nullopt);
  if (details_)
    out.conditions = std::exchange(details_->conditions, {});
  return out;
}

void task_actor::submit(change out, committed_fn then) {
  const auto refused = out.conditions.empty() ? handle{} : handle_of(self_);
  if (!lone_ || !lone_->done)
    return env_.records.commit(std::move(out), std::move(then),
                               lone_ ? std::exchange(lone_->follow, nullptr) : nullptr);
  // The first commit of a lone task also answers who sent the message.
  env_.records.commit(
      std::move(out),
      [then = std::move(then), done = std::exchange(lone_->done, {}), id = lone_->id,
       context = lone_->context, refused](const commit_outcome& outcome) {
        if (outcome.conflict) { // There is no such task, and its agent works for nothing.
          tell(refused, cancel_run{"its message came before", {}, {}});
          return done(came_before());
        }
        sent taken;
        taken.task = id;
        taken.context = context;
        taken.created = true;
        done(std::move(taken));
        if (then)
          then();
      },
      std::exchange(lone_->follow, nullptr));
}

message_ptr task_actor::status_message(const std::string& text,
                                       const boost::json::object& metadata) const {
  return make_status_message(text, context(), id(), metadata);
}

} // namespace troupe
