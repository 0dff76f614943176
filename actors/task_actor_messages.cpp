// What a task is told, and what its agent is given: its order, the messages so far, also those of an earlier process, and what they refer to.
#include <utility>

#include "actors/input_references.hpp"
#include "actors/limits.hpp"
#include "actors/message_rules.hpp"
#include "actors/task_actor.hpp"

namespace troupe {

// What it was told, and what it had made, before the process ended.
void task_actor::recall() {
  const auto record = env_.records.find_task(id());
  if (!record)
    return;
  failures_ = record->failures;
  between_attempts_ = record->awaits_retry;
  has_artifacts_ = !record->artifacts.empty();
  artifacts_made_ = static_cast<std::uint32_t>(record->artifacts.size());
  bool is_request = lone_ != nullptr;
  for (const auto& said : record->history)
    if (said->from == role::user && !std::exchange(is_request, false))
      keep_input(said);
}

void task_actor::keep_input(message_ptr what) {
  const auto bytes = bytes_of(*what);
  rest().inputs.push_back(std::move(what));
  rest().input_bytes += bytes;
  env_.live_bytes += bytes;
}

std::size_t task_actor::told_bytes() const noexcept {
  return (lone_ ? bytes_of(*lone_->request) + bytes_of(lone_->metadata) : 0) + (rest_ ? rest_->input_bytes : 0);
}

result<order_ptr> task_actor::make_order() const {
  auto what = std::make_shared<order>();
  what->id = id();
  what->context = context();
  what->attempt = attempt_;
  what->time_scale = env_.options.time_scale;
  if (lone_) {
    what->messages.push_back(lone_->request);
    what->traceparent = lone_->traceparent;
    what->accepted_output_modes = lone_->accepted_output_modes;
  }
  if (rest_) {
    what->messages.insert(what->messages.end(), rest_->inputs.begin(), rest_->inputs.end());
    for (const auto& ref : rest_->dependencies) {
      auto record = env_.records.find_task(ref.id);
      what->dependencies.push_back({ref.id, ref.key, ref.name, record ? record->artifacts : std::vector<artifact_ptr>{}, ref.called});
    }
  }
  what->references = references_of(what->messages);
  if (scope_) {
    const auto& spec = scope_->spec->tasks[task_index_];
    what->name = spec.name;
    what->description = spec.description;
    what->objective_name = scope_->objective_name;
    if (has_references(spec.input)) {
      auto input = resolve_references(spec.input, what->dependencies);
      if (!input)
        return input.error();
      what->input = std::move(*input);
    } else {
      what->input = spec.input;
    }
  }
  return order_ptr{std::move(what)};
}

std::vector<referenced_task> task_actor::references_of(const std::vector<message_ptr>& messages) const {
  return gather_references(messages, [this](const task_id& other) { return env_.records.find_task_of(owner(), other); });
}

void task_actor::on_input(provide_input& what) {
  if (over() || is_stopping())
    return what.done(task_has_ended(id().str()));
  if (what.answers && !is_interrupted(state_))
    return what.done(make_error(errc::no_question, "the task's question was answered already", id().str()));
  if (!created_)
    return what.done(task_has_not_begun(id().str()));
  if (rest().inputs.size() >= task_inputs_max)
    return what.done(make_error(errc::limit_exceeded,
                                "the task was told " + std::to_string(task_inputs_max) + " messages; it takes no more", id().str()));
  const auto bytes = bytes_of(*what.what);
  if (rest().input_bytes + bytes > task_input_bytes_max)
    return what.done(make_error(errc::limit_exceeded,
                                "the task was told " + std::to_string(rest().input_bytes >> 10) + " KiB; with this message of "
                                    + std::to_string(bytes >> 10) + " KiB it would be more than the "
                                    + std::to_string(task_input_bytes_max >> 10) + " KiB it takes",
                                id().str()));
  auto filled = *what.what;
  filled.task_id = id().str();
  filled.context_id = context();
  auto input = std::make_shared<const message>(std::move(filled));
  keep_input(input);
  const bool asked = is_interrupted(state_);
  // First the move, which puts the question into the history; then the answer.
  if (asked && !move(task_event::answer, nullptr))
    return;
  pending_.push_back(task_message{input});
  commit([done = what.done, id = id(), told = asked ? plan_told(false) : nullptr] {
    done(id);
    if (told)
      told();
  });
  if (asked)
    show_progress_in_time();
  if (!run_) {
    if (asked)
      start_agent(); // an agent that asks and keeps nothing running is started again with the answer
    return;
  }
  if (asked)
    begin_time();
  call_agent([&] {
    if (const auto references = references_of({input}); !references.empty())
      run_->on_references(references);
    if (asked)
      run_->on_answer(input);
    else
      run_->on_input(input);
  });
  if (asked)
    ask_next();
}

} // namespace troupe
