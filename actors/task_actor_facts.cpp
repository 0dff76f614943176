// What a task has to say for itself: its moves, artifacts, progress and questions as facts, on their way to the store.
#include <utility>

#include "actors/status_message.hpp"
#include "actors/limits.hpp"
#include "actors/task_actor.hpp"

namespace troupe {

bool task_actor::move(task_event on, message_ptr what) {
  const auto to = next_state(state_, on);
  if (!to)
    return false;
  state_ = *to;
  pending_.push_back(task_moved{state_, attempt_, std::move(what), failures_});
  return true;
}

void task_actor::ensure_created() {
  if (std::exchange(created_, true))
    return;
  auto record = std::make_shared<task>();
  record->id = id();
  record->context = context();
  record->owner = owner();
  record->agent = agent_name();
  record->created = env_.now();
  record->status.at = record->created;
  if (scope_) {
    record->origin = {scope_->spec, scope_->plan_index, task_index_};
  } else {
    record->history.push_back(lone_->request);
    record->metadata = lone_->metadata;
    record->accepted_output_modes = lone_->accepted_output_modes;
  }
  pending_.push_back(task_created{std::move(record)});
}

void task_actor::add_artifact(report_artifact what) {
  if (what.what.artifact_id.empty())
    what.what.artifact_id = "artifact-" + std::to_string(++artifacts_made_);
  has_artifacts_ = true;
  pending_.push_back(
      task_artifact{std::make_shared<const artifact>(std::move(what.what)), what.append, what.last_chunk});
}

void task_actor::add_progress(progress_report what) {
  auto& merger = rest().progress;
  if (!merger)
    merger = std::make_unique<progress_merger>();
  if (auto ok = merger->take(std::move(what)); ok)
    show_progress_in_time();
  else if (!std::exchange(rest_->progress_refused, true) && env_.options.warn)
    env_.options.warn("task " + id().str() + ": its agent's progress is refused: " + ok.error().message
                      + " (said once for each task)");
}

/// At once, or as soon as the declared rate allows. While somebody is asked there is none: it waits for the answer.
void task_actor::show_progress_in_time() {
  if (!rest_ || !rest_->progress || !rest_->progress->has_news() || state_ != task_state::working)
    return;
  const auto waited = env_.now() - rest_->progress_at;
  if (waited >= progress_interval || waited.count() < 0) // the computer's clock may have been set back
    flush_progress();
  else if (!std::exchange(rest_->progress_timer, true))
    set_timer(task_timer::purpose::progress, progress_interval - waited);
}

void task_actor::flush_progress() {
  note_progress();
  commit();
}

/// The last of the progress becomes a fact, together with what follows it.
void task_actor::note_progress() {
  if (!rest_ || !rest_->progress || !rest_->progress->has_news() || state_ != task_state::working)
    return;
  rest_->progress_at = env_.now();
  pending_.push_back(task_progress{rest_->progress->show()});
}

void task_actor::ask(const report_question& what) {
  if (is_interrupted(state_)) {
    auto& later = rest().questions;
    if (later.size() >= task_questions_max)
      return stop_agent(report_failed{
          "the agent asked " + std::to_string(task_questions_max + 1) + " more questions without waiting for an answer", false});
    later.push_back(what);
    return;
  }
  note_progress();
  if (!move(what.auth ? task_event::ask_auth : task_event::ask, status_message(what.prompt)))
    return;
  if (lone_)
    env_.lone_tasks.put(lone_->id.str(), handle_of(self_));
  commit(plan_told(true));
}

/// One question at a time is shown; the next one once that is answered.
void task_actor::ask_next() {
  if (state_ != task_state::working || between_attempts_ || is_stopping() || rest().questions.empty())
    return;
  const auto next = std::move(rest().questions.front());
  rest().questions.erase(rest().questions.begin());
  ask(next);
}

void task_actor::commit(committed_fn then) {
  if (pending_.empty())
    return;
  change what;
  what.context = context();
  what.task = {id(), !scope_, scope_ ? scope_->plan_index : 0, task_index_};
  what.at = env_.now();
  what.events = std::move(pending_);
  pending_.clear();
  if (!lone_ || !lone_->done)
    return env_.records.commit(std::move(what), std::move(then), lone_ ? std::exchange(lone_->follow, nullptr) : nullptr);
  // The first commit of a lone task also answers whoever sent the message.
  env_.records.commit(
      std::move(what),
      [then = std::move(then), done = std::exchange(lone_->done, {}), id = lone_->id, context = lone_->context] {
        done(sent{id, context, true, nullptr});
        if (then)
          then();
      },
      std::exchange(lone_->follow, nullptr));
}

message_ptr task_actor::status_message(const std::string& text, const boost::json::object& metadata) const {
  return make_status_message(text, context(), id(), metadata);
}

} // namespace troupe
