#include "protocol/fold/apply.hpp"

#include "protocol/artifact_chunks.hpp"
#include "protocol/change_size.hpp"
#include "protocol/fold/limits.hpp"
#include "protocol/fold/rollup.hpp"
#include "protocol/is_one_of.hpp"
#include "protocol/text/text.hpp"
#include <troupe/protocol/unshared.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

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
std::string reason_of(const task_status& status, task_phase phase) {
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
  details.spans.push_back({phase, std::max(attempt, 1U), began, at,
                           moved ? reason_of(record.status, phase) : std::string{}});
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

plan_view* plan_at(objective_view& view, std::uint32_t index) noexcept {
  return index < view.plans.size() ? &view.plans.edit(index) : nullptr;
}

/// The plan has begun and not ended.
bool goes_on(plan_state state) noexcept {
  return state == plan_state::working || state == plan_state::blocked;
}

/// What is tried again has only a deadline that it can keep.
bool has_passed(const std::optional<timestamp>& deadline, timestamp now) noexcept {
  return deadline && *deadline <= now;
}

/// With the start, seconds that count from it are a deadline. Of two the earlier one counts.
template<class Of>
void begin_deadline(Of& of, timestamp start) {
  const timestamp due = start + of.deadline_after;
  if (!of.deadline || due < *of.deadline)
    of.deadline = due;
}

/// A deadline that is set in place of all earlier ones.
template<class Of>
void set_deadline_of(Of& of, const std::optional<timestamp>& deadline) {
  of.deadline = deadline;
  of.deadline_after = milliseconds{0};
}

/// The plan of a plan's task.
plan_view* plan_of(objective_view& view, const task_address& task) noexcept {
  return task.lone ? nullptr : plan_at(view, task.plan_index);
}

/// Null too while the plan's summaries have another holder.
task_summary* summary_of(plan_view& plan, const task_address& task) noexcept {
  return task.task_index < plan.tasks.size() ? &plan.tasks.edit(task.task_index) : nullptr;
}

std::uint32_t since_creation(const plan_view& plan, timestamp at) noexcept {
  constexpr std::int64_t largest = std::numeric_limits<std::uint32_t>::max();
  const std::int64_t passed{(at - plan.created).count()};
  return static_cast<std::uint32_t>(std::clamp(passed, std::int64_t{0}, largest));
}

void set_state(plan_view& plan, task_summary& summary, task_state to, timestamp at) noexcept {
  summary.state = to;
  summary.changed_ms = since_creation(plan, at);
  plan.updated = at;
}

/// How a called task ends concerns its caller alone: the plan goes on as if it were not needed.
void note_end_of_called(const plan_view& plan, std::uint32_t task, task_summary& summary) noexcept {
  if (is_lost(summary) && plan.spec && task < plan.spec->tasks.size()
      && plan.spec->tasks[task].caller != no_caller)
    summary.is_skipped = true;
}

void set_attempt(task_summary& summary, std::uint32_t attempt) noexcept {
  summary.attempt = static_cast<std::uint16_t>(std::min<std::uint32_t>(attempt, attempt_shown_max));
}

/// An objective, or the spec of a plan.
template<class Edited>
void edit_fields(Edited& to, const edits& wanted) {
  if (!wanted.name.empty())
    to.name = wanted.name;
  if (!wanted.description.empty())
    to.description = wanted.description;
  merge_metadata(to.metadata, wanted.metadata);
}

void edit_fields_of(plan_spec& spec, const edit_plan& wanted) {
  edit_fields(spec, wanted.edited);
  if (wanted.parallel_max)
    spec.parallel_max = *wanted.parallel_max;
  if (wanted.failure)
    spec.failure = *wanted.failure;
  if (wanted.deadline)
    set_deadline_of(spec, wanted.deadline->at);
  if (wanted.priority)
    spec.priority = *wanted.priority;
}

/// What the operations of a change do to a plan, one after the other.
struct shape_applier {
  plan_spec& spec;
  chunked<task_summary>& summaries;
  bool has_summaries; ///< Else they are lent.
  std::uint32_t now_ms;

  template<class Operation>
  [[nodiscard]] task_spec* edit(const Operation& wanted) const {
    return wanted.task < spec.tasks.size() ? &spec.tasks.edit(wanted.task) : nullptr;
  }

  void operator()(const add_task& added) const {
    spec.tasks.push_back(added.spec);
    if (has_summaries)
      summaries.push_back(task_summary{.changed_ms = now_ms});
  }
  void operator()(const remove_task<std::uint32_t>& removed) const {
    if (auto* task = edit(removed))
      task->is_removed = true;
  }
  void operator()(const add_dependency<std::uint32_t>& added) const {
    auto* task = edit(added);
    if (!task || added.on >= spec.tasks.size())
      return;
    const auto& on = spec.tasks[added.on];
    task->dependency_indexes.resize(task->dependencies.size(), elsewhere);
    task->dependencies.push_back(on.key.empty() ? on.id.str() : on.key);
    task->dependency_indexes.push_back(added.on);
  }
  void operator()(const remove_dependency<std::uint32_t>& removed) const {
    auto* task = edit(removed);
    if (!task)
      return;
    for (auto i = task->dependency_indexes.size(); i-- > 0;)
      if (task->dependency_indexes[i] == removed.on) {
        const auto at = static_cast<std::ptrdiff_t>(i);
        task->dependency_indexes.erase(task->dependency_indexes.begin() + at);
        task->dependencies.erase(task->dependencies.begin() + at);
      }
  }
  void operator()(const rename_task<std::uint32_t>& renamed) const {
    if (auto* task = edit(renamed))
      task->name = renamed.name;
  }
  void operator()(const set_deadline<std::uint32_t>& set) const {
    if (auto* task = edit(set))
      set_deadline_of(*task, set.deadline);
  }
  void operator()(const set_priority<std::uint32_t>& set) const {
    if (auto* task = edit(set))
      task->priority = set.priority;
  }
  void operator()(const put_task<std::uint32_t>& put) const {
    auto* task = edit(put);
    if (!task)
      return;
    auto next = put.spec;
    next.id = std::move(task->id);
    next.key = std::move(task->key);
    next.dependencies = std::move(task->dependencies);
    next.dependency_indexes = std::move(task->dependency_indexes);
    next.is_removed = task->is_removed;
    next.caller = task->caller;
    *task = std::move(next);
  }
  void operator()(const skip_task<std::uint32_t>& skipped) const {
    if (skipped.task < summaries.size())
      summaries.edit(skipped.task).is_skipped = true;
  }
  // Its end is an event of its own.
  void operator()(const complete_task<std::uint32_t>&) const {}
  // tasks_renewed came before.
  void operator()(const retry_task<std::uint32_t>&) const {}
  void operator()(const edit_plan& edited) const { edit_fields_of(spec, edited); }
};

/// What the operations of a change do to an objective, one after the other.
struct objective_applier {
  objective_view& view;
  const objective_changed& changed;
  timestamp at;

  /// The plan that an operation is about; null if there is none.
  [[nodiscard]] plan_view* touch(std::uint32_t index) const {
    auto* plan = plan_at(view, index);
    if (!plan || !plan->spec)
      return nullptr;
    plan->revision = changed.revision;
    plan->updated = at;
    return plan;
  }

  void operator()(const edit_objective& edited) const {
    edit_fields(view, edited.edited);
    if (edited.deadline)
      set_deadline_of(view, edited.deadline->at);
    if (edited.priority)
      view.priority = *edited.priority;
    if (edited.parallel_max)
      view.parallel_max = *edited.parallel_max;
  }
  void operator()(const edit_plan_of<std::uint32_t>& edited) const {
    if (auto* plan = touch(edited.plan))
      edit_fields_of(unshared(plan->spec), edited.edit);
  }
  // Its end is an event of its own.
  void operator()(const skip_plan<std::uint32_t>& skipped) const {
    if (auto* plan = touch(skipped.plan))
      plan->skip_requested = true;
  }
  void operator()(const set_plan_dependencies<std::uint32_t>& set) const {
    std::vector<std::string> ids;
    for (const auto on : set.on)
      if (on < view.plans.size() && view.plans[on].spec)
        ids.push_back(view.plans[on].spec->id.str());
    auto* plan = touch(set.plan);
    if (!plan)
      return;
    unshared(plan->spec).dependencies = std::move(ids);
  }
  /// Its place stays, without tasks or names. Its end is an event of its own.
  void operator()(const remove_plan<std::uint32_t>& removed) const {
    auto* plan = touch(removed.plan);
    if (!plan)
      return;
    plan->skip_requested = true;
    std::vector<std::uint32_t> tasks(plan->spec->tasks.size());
    std::iota(tasks.begin(), tasks.end(), 0U);
    take_out_times(view, *plan, tasks);
    const auto before = sums_of(view, *plan, tasks);
    auto& spec = unshared(plan->spec);
    spec.is_removed = true;
    spec.dependencies.clear();
    spec.alternatives.clear();
    spec.outside.clear();
    for (const auto task : tasks) {
      auto& gone = spec.tasks.edit(task);
      gone.is_removed = true;
      gone.dependencies.clear();
      gone.dependency_indexes.clear();
    }
    change_sums(view, *plan, before, sums_of(view, *plan, tasks));
  }
};

void add_plan(objective_view& view, const plan_spec_ptr& spec, timestamp at) {
  auto& plan = view.plans.emplace_back();
  plan.spec = spec;
  plan.created = plan.updated = at;
  plan.tasks.resize(spec->tasks.size());
}

/// What concerns one plan of an objective, and these of its tasks.
template<class Event>
void apply_to_plan(objective_view& view, plan_view* plan, const change& where, const Event& fact,
                   std::span<const std::uint32_t> tasks = {}) {
  if (!plan)
    return;
  const auto before = sums_of(view, *plan, tasks);
  apply(*plan, where, fact);
  change_sums(view, *plan, before, sums_of(view, *plan, tasks));
  view.updated = where.at;
}

/// The same of one task.
template<class Event>
void apply_to_task(objective_view& view, const change& where, const Event& fact) {
  const std::array tasks{where.task.task_index};
  apply_to_plan(view, plan_of(view, where.task), where, fact, tasks);
}

/// The tasks of a plan of `size` tasks that the operations are about, each once.
std::vector<std::uint32_t> tasks_of(const plan_changed& changed, std::size_t size) {
  std::vector<std::uint32_t> out;
  for (const auto& one : changed.operations)
    std::visit(
        [&](const auto& operation) {
          if constexpr (requires { operation.task; })
            out.push_back(operation.task);
          else if constexpr (std::is_same_v<std::remove_cvref_t<decltype(operation)>, add_task>)
            out.push_back(static_cast<std::uint32_t>(size++));
        },
        one);
  std::ranges::sort(out);
  // Not std::ranges::unique: clang 14 cannot compile the subrange of GCC's library.
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<std::uint32_t> paused_plans(const objective_view& view) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t p = 0; p < view.plans.size(); ++p)
    if (view.plans[p].paused)
      out.push_back(p);
  return out;
}

void set_pause(objective_view& view, bool paused) {
  view.paused = paused;
  for (std::uint32_t p = 0; p < view.plans.size(); ++p) {
    const bool is_paused = paused && !is_settled(view.plans[p].state);
    if (view.plans[p].paused != is_paused)
      view.plans.edit(p).paused = is_paused;
  }
}

/// `view` with those kinds of events that it has a function for.
template<class View>
void apply_one(View& view, const change& where, const event& one) {
  std::visit(
      [&](const auto& kind) {
        if constexpr (requires { apply(view, where, kind); })
          apply(view, where, kind);
      },
      one);
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

// -- a plan --------------------------------------------------------------------------------------

void apply(plan_view& plan, const change& where, const plan_moved& moved) {
  const auto to = next_state(plan.state, moved.on);
  if (!to)
    return;
  const bool begins = plan.state != plan_state::blocked && *to == plan_state::working;
  if (begins)
    plan.began = where.at;
  if (plan.spec && is_settled(plan.state) && !is_settled(*to)
      && has_passed(plan.spec->deadline, where.at))
    unshared(plan.spec).deadline.reset();
  if (begins && plan.spec && plan.spec->deadline_after.count() > 0)
    begin_deadline(unshared(plan.spec), where.at);
  const auto from = std::exchange(plan.state, *to);
  plan.reason = moved.reason;
  plan.skip_requested =
      moved.requested || (plan.skip_requested && goes_on(from) && goes_on(plan.state));
  plan.start_requested = plan.start_requested && *to != plan_state::working;
  plan.paused = plan.paused && !is_settled(*to);
  plan.updated = where.at;
}

void apply(plan_view& plan, const change& where, const plan_changed& changed) {
  if (!plan.spec)
    return;
  shape_applier to{unshared(plan.spec), plan.tasks, !plan.is_lent, since_creation(plan, where.at)};
  for (const auto& each : changed.operations)
    std::visit(to, each);
  plan.updated = where.at;
}

void apply(plan_view& plan, const change& where, const tasks_withdrawn& withdrawn) {
  for (const auto index : withdrawn.tasks)
    if (index < plan.tasks.size()) {
      auto& summary = plan.tasks.edit(index);
      set_state(plan, summary, withdrawn.to, where.at);
      summary.has_artifacts = summary.has_artifacts || !withdrawn.artifacts.empty();
      note_end_of_called(plan, index, summary);
    }
  plan.updated = where.at;
}

void apply(plan_view& plan, const change& where, const tasks_renewed& renewed) {
  for (const auto index : renewed.tasks)
    if (index < plan.tasks.size()) {
      plan.tasks.edit(index) = task_summary{.generation = plan.tasks[index].generation + 1,
                                            .changed_ms = since_creation(plan, where.at)};
      set_reached(plan, index, 0);
      if (plan.spec && has_passed(plan.spec->tasks[index].deadline, where.at))
        unshared(plan.spec).tasks.edit(index).deadline.reset();
    }
  plan.updated = where.at;
}

void apply(plan_view& plan, const change&, const pause_changed& pause) {
  plan.paused = pause.paused;
}

void apply(plan_view& plan, const change& where, const task_created& created) {
  auto* summary = summary_of(plan, where.task);
  if (!summary || !created.record)
    return;
  set_state(plan, *summary, created.record->status.state, where.at);
  set_attempt(*summary, created.record->attempt);
  summary->failures_modulo_16 = created.record->failures & 0xf;
  summary->has_artifacts = !created.record->artifacts.empty();
}

void apply(plan_view& plan, const change& where, const task_moved& moved) {
  auto* summary = summary_of(plan, where.task);
  if (!summary)
    return;
  const auto attempt = summary->attempt;
  set_state(plan, *summary, moved.to, where.at);
  note_end_of_called(plan, where.task.task_index, *summary);
  set_attempt(*summary, moved.attempt);
  if (summary->attempt != attempt)
    set_reached(plan, where.task.task_index, 0);
  const auto index = where.task.task_index;
  if (attempt == 0 && summary->attempt > 0 && plan.spec && index < plan.spec->tasks.size()
      && plan.spec->tasks[index].deadline_after.count() > 0)
    begin_deadline(unshared(plan.spec).tasks.edit(index), where.at);
  const auto failures = static_cast<std::uint8_t>(moved.failures % 16);
  const bool awaits_retry = failures != summary->failures_modulo_16 && !is_terminal(moved.to);
  summary->wait = awaits_retry ? task_wait::backoff : task_wait::none;
  summary->failures_modulo_16 = failures & 0xf;
}

void apply(plan_view& plan, const change& where, const task_progress& news) {
  const auto* summary = summary_of(plan, where.task);
  if (summary && news.progress && !is_terminal(summary->state))
    set_reached(plan, where.task.task_index, fraction_of(*news.progress));
}

void apply(plan_view& plan, const change& where, const task_queued&) {
  if (auto* summary = summary_of(plan, where.task); summary && !is_terminal(summary->state))
    summary->wait = task_wait::slot;
}

void apply(plan_view& plan, const change& where, const task_resumed&) {
  if (auto* summary = summary_of(plan, where.task))
    summary->wait = task_wait::none;
}

void apply(plan_view& plan, const change& where, const task_artifact&) {
  note_artifacts(plan, where);
}

void note_artifacts(plan_view& plan, const change& where) {
  auto* summary = summary_of(plan, where.task);
  if (!summary)
    return;
  summary->has_artifacts = true;
  plan.updated = where.at;
}

void apply_event(plan_view& plan, const change& where, const event& one) {
  apply_one(plan, where, one);
}

// -- an objective --------------------------------------------------------------------------------

void apply(objective_view& view, const change& where, const objective_created& created) {
  view.id = objective_id{where.context};
  view.owner = created.owner;
  view.trace = created.trace;
  view.root_task = created.root_task;
  view.state = objective_state::submitted;
  view.created = view.updated = where.at;
  if (!created.spec)
    return;
  view.name = created.spec->name;
  view.description = created.spec->description;
  view.parallel_max = created.spec->parallel_max;
  view.metadata = created.spec->metadata;
  view.references = created.spec->references;
  view.deadline = created.spec->deadline;
  view.deadline_after = created.spec->deadline_after;
  view.priority = created.spec->priority;
  view.plans.clear();
  for (const auto& plan : created.spec->plans)
    add_plan(view, plan, where.at);
  sum_up(view);
}

void apply(objective_view& view, const change& where, const objective_edited& edited) {
  view.usage += edited.used;
  if (edited.edited.empty())
    return;
  edit_fields(view, edited.edited);
  view.updated = where.at;
  ++view.revision;
}

void apply(objective_view& view, const change& where, const plan_edited& edited) {
  auto* plan = plan_at(view, edited.plan);
  if (!plan || !plan->spec)
    return;
  edit_fields(unshared(plan->spec), edited.edited);
  plan->updated = view.updated = where.at;
  plan->revision = ++view.revision;
}

void apply(objective_view& view, const change& where, const objective_changed& changed) {
  const objective_applier to{view, changed, where.at};
  for (const auto& each : changed.operations)
    std::visit(to, each);
  view.updated = where.at;
  view.revision = changed.revision;
}

void apply(objective_view& view, const change& where, const objective_moved& moved) {
  const auto to = next_state(view.state, moved.on);
  if (!to)
    return;
  if (is_settled(view.state) && !is_settled(*to) && has_passed(view.deadline, where.at))
    view.deadline.reset();
  const bool has_stood = view.state == objective_state::submitted || is_settled(view.state);
  const bool begins = has_stood && *to != objective_state::submitted && !is_settled(*to);
  if (begins && view.deadline_after.count() > 0)
    begin_deadline(view, where.at);
  view.state = *to;
  view.reason = moved.reason;
  view.updated = where.at;
  if (*to != objective_state::blocked)
    view.planning = *to == objective_state::planning;
  if (!is_settled(*to))
    return;
  view.planner_pause.reset();
  set_pause(view, false);
  for (std::uint32_t p = 0; p < view.plans.size(); ++p)
    if (view.plans[p].start_requested)
      view.plans.edit(p).start_requested = false;
  view.closing.reset();
  view.closing_reason.clear();
}

void apply(objective_view& view, const change& where, const plan_added& added) {
  if (!added.spec)
    return;
  add_plan(view, added.spec, where.at);
  auto& plan = view.plans.edit_back();
  plan.start_requested = added.start;
  view.revision = added.revision != 0 ? added.revision : view.revision + 1;
  plan.revision = view.revision;
  view.updated = where.at;
  add_to_rollup(view);
}

void apply(objective_view& view, const change& where, const plan_moved& moved) {
  auto* plan = plan_at(view, moved.plan);
  if (!plan)
    return;
  const auto from = plan->state;
  apply_to_plan(view, plan, where, moved);
  if (is_settled(plan->state))
    std::erase_if(view.pending_inputs,
                  [&](const pending_input& asked) { return asked.plan == moved.plan; });
  count_plans(view, moved.plan, from);
}

void apply(objective_view& view, const change& where, const plan_changed& changed) {
  auto* plan = plan_at(view, changed.plan);
  if (!plan)
    return;
  if (!plan->spec)
    return apply_to_plan(view, plan, where, changed);
  const auto tasks = tasks_of(changed, plan->spec->tasks.size());
  take_out_times(view, *plan, tasks);
  apply_to_plan(view, plan, where, changed, tasks);
  put_in_times(view, *plan, tasks);
  plan->revision = view.revision = changed.revision;
}

void apply(objective_view& view, const change& where, const tasks_withdrawn& withdrawn) {
  apply_to_plan(view, plan_at(view, withdrawn.plan), where, withdrawn, withdrawn.tasks);
}

void apply(objective_view& view, const change& where, const tasks_renewed& renewed) {
  auto* plan = plan_at(view, renewed.plan);
  apply_to_plan(view, plan, where, renewed, renewed.tasks);
  if (plan)
    plan->revision = ++view.revision;
}

void apply(objective_view& view, const change& where, const pause_changed& pause) {
  if (!pause.plan) {
    view.planner_pause.reset();
    if (pause.for_planner)
      view.planner_pause = paused_plans(view);
    set_pause(view, pause.paused);
  } else if (auto* plan = plan_at(view, *pause.plan)) {
    apply(*plan, where, pause);
    if (auto& stay = view.planner_pause) {
      std::erase(*stay, *pause.plan);
      if (pause.paused)
        stay->push_back(*pause.plan);
    }
  }
  view.updated = where.at;
}

void apply(objective_view& view, const change& where, const objective_closing& closing) {
  view.closing = closing.to;
  view.closing_reason = closing.reason;
  view.updated = where.at;
}

void apply(objective_view& view, const change& where, const task_created& created) {
  apply_to_task(view, where, created);
}

void apply(objective_view& view, const change& where, const task_moved& moved) {
  auto* plan = plan_of(view, where.task);
  if (!plan)
    return;
  const auto* summary = summary_of(*plan, where.task);
  if (!summary && !plan->is_lent)
    return;
  auto& inputs = view.pending_inputs;
  // A task has one question at most.
  const auto before = summary && !is_interrupted(summary->state)
                          ? inputs.end()
                          : std::ranges::find(inputs, where.task.id, &pending_input::task);
  if (is_interrupted(moved.to)) {
    auto asked = input_asked_by(moved, where);
    if (before == inputs.end()) {
      inputs.push_back(std::move(asked));
    } else if (!asked.question.empty() && asked.question == before->question) {
      asked.since = before->since; // It is asked again.
      *before = std::move(asked);
    } else {
      inputs.erase(before);
      inputs.push_back(std::move(asked));
    }
  } else if (before != inputs.end()) {
    inputs.erase(before);
  }
  apply_to_task(view, where, moved);
}

void apply(objective_view& view, const change& where, const task_progress& news) {
  auto* plan = plan_of(view, where.task);
  if (!plan)
    return;
  const std::array tasks{where.task.task_index};
  const auto before = sums_of(view, *plan, tasks);
  apply(*plan, where, news);
  change_sums(view, *plan, before, sums_of(view, *plan, tasks));
}

void apply(objective_view& view, const change& where, const task_queued& queued) {
  apply_to_plan(view, plan_of(view, where.task), where, queued);
}

void apply(objective_view& view, const change& where, const task_resumed& resumed) {
  apply_to_plan(view, plan_of(view, where.task), where, resumed);
}

void apply(objective_view& view, const change& where, const task_artifact& output) {
  apply_to_plan(view, plan_of(view, where.task), where, output);
}

void apply_event(objective_view& view, const change& where, const event& one) {
  apply_one(view, where, one);
  view.made_bytes += made_bytes_of(one);
  if (const auto* said = std::get_if<task_message>(&one); said && said->message)
    view.usage += usage_in(*said->message);
}

void apply(objective_view& view, const change& of) {
  for (const auto& one : of.events)
    apply_event(view, of, one);
}

std::uint64_t revision_after(std::uint64_t revision, const event& one) noexcept {
  if (const auto* changed = std::get_if<plan_changed>(&one))
    return changed->revision;
  if (const auto* changed = std::get_if<objective_changed>(&one))
    return changed->revision;
  if (const auto* added = std::get_if<plan_added>(&one); added && added->revision != 0)
    return added->revision;
  const auto* edited = std::get_if<objective_edited>(&one);
  const bool is_change =
      (edited && !edited->edited.empty()) || std::holds_alternative<plan_edited>(one)
      || std::holds_alternative<plan_added>(one) || std::holds_alternative<tasks_renewed>(one);
  return revision + (is_change ? 1 : 0);
}

pending_input input_asked_by(const task_moved& moved, const change& where) {
  pending_input out{.task = where.task.id,
                    .prompt = {},
                    .since = where.at,
                    .plan = where.task.plan_index,
                    .index = where.task.task_index,
                    .question = {},
                    .is_auth = moved.to == task_state::auth_required};
  if (!moved.message)
    return out;
  out.prompt = text_of(moved.message->parts);
  if (const auto* id = moved.message->metadata.if_contains(question_id_key); id && id->is_string())
    out.question = id->get_string();
  if (const auto whole = question_address_from(out.question); whole && whole->task == out.task)
    out.question = whole->question;
  return out;
}

void forget_questions(objective_view& view) noexcept {
  view.pending_inputs.clear();
}

void forget_questions(plan_view& plan) {
  for (std::uint32_t task = 0; task < plan.tasks.size(); ++task)
    if (is_interrupted(plan.tasks[task].state))
      plan.tasks.edit(task).state = task_state::working;
}

// -- questions about a change --------------------------------------------------------------------

const std::shared_ptr<task>* created_record(const change& of) noexcept {
  if (of.events.empty())
    return nullptr;
  const auto* made = std::get_if<task_created>(&of.events.front());
  return made && made->record ? &made->record : nullptr;
}

const task_moved* last_move(const change& of) noexcept {
  for (auto fact = of.events.rbegin(); fact != of.events.rend(); ++fact)
    if (const auto* moved = std::get_if<task_moved>(&*fact))
      return moved;
  return nullptr;
}

bool ends_task(const change& of) noexcept {
  if (const auto* moved = last_move(of))
    return is_terminal(moved->to);
  const auto* made = created_record(of);
  return made && is_terminal((*made)->status.state);
}

const objective_created* created_objective(const change& of) noexcept {
  return of.events.empty() ? nullptr : std::get_if<objective_created>(&of.events.front());
}

} // namespace troupe
