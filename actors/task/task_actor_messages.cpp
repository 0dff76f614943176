// Messages to a task, and the input of its agent: its order, the messages so far, and the artifacts
// to which they and its dependencies refer.
#include "actors/commands/joint_answer.hpp"
#include "actors/commands/message_rules.hpp"
#include "actors/commands/once_desk.hpp"
#include "actors/task/answer_form.hpp"
#include "actors/task/input_references.hpp"
#include "actors/task/task_actor.hpp"
#include <troupe/actors/limits.hpp>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <string_view>
#include <utility>

namespace troupe {

namespace {

/// The name of who has answered, if the answer is the default of the form.
constexpr std::string_view default_answer_by = "default";

/// A dependency has completed, and a store in memory no longer keeps its record.
error is_dropped(const task_id& id) {
  return make_error(errc::limit_exceeded,
                    "the artifacts of task " + id.str()
                        + " are not kept any more: the store in memory drops the oldest ended "
                          "tasks above its bounds, or when memory runs short (limits.memory)");
}

} // namespace

/// What other tasks have made, while and after it is read. An answer writes its own entry; they are
/// read once all have come.
struct task_actor::reads {
  std::map<task_id, result<made_by_task>> found;
  std::atomic<std::size_t> missing{0};

  [[nodiscard]] bool is_complete() const noexcept {
    return missing.load(std::memory_order_acquire) == 0;
  }
  /// The first error of the disk.
  [[nodiscard]] std::optional<error> failure() const {
    for (const auto& [id, made] : found)
      if (made.has_error() && is_unreadable(made.error()))
        return made.error();
    return std::nullopt;
  }
  /// Null if there is no such task.
  [[nodiscard]] const made_by_task* of(const task_id& id) const {
    const auto made = found.find(id);
    return made != found.end() && made->second ? &*made->second : nullptr;
  }
};

void task_actor::keep_input(message_ptr input) {
  const auto bytes = bytes_of(*input);
  details().inputs.push_back(std::move(input));
  details().input_bytes += bytes;
  env_.memory.force(memory_account::live_work, bytes);
}

std::size_t task_actor::input_bytes() const noexcept {
  return (lone_ ? live_task_bytes + bytes_of(*lone_->request) + bytes_of(lone_->metadata) : 0)
         + (details_ ? details_->input_bytes : 0);
}

// -- reading --------------------------------------------------------------------------------------

std::vector<message_ptr> task_actor::messages() const {
  std::vector<message_ptr> out;
  if (lone_)
    out.push_back(lone_->request);
  if (details_)
    out.insert(out.end(), details_->inputs.begin(), details_->inputs.end());
  return out;
}

std::vector<message_ptr> task_actor::referring_messages() const {
  auto out = messages();
  if (plan_ && plan_->references)
    out.insert(out.begin(), plan_->references);
  return out;
}

std::vector<task_id> task_actor::referenced_ids(const std::vector<message_ptr>& messages) const {
  std::vector<task_id> out;
  for (const auto& one : messages)
    for (const auto& id : one->reference_task_ids)
      out.emplace_back(id);
  return out;
}

/// order_read follows, unless all is there when this returns.
std::shared_ptr<task_actor::reads> task_actor::read_made(const std::vector<task_id>& ids) {
  auto out = std::make_shared<reads>();
  for (const auto& id : ids)
    out->found.try_emplace(id, unknown_task(id.str()));
  out->missing = out->found.size() + 1;
  for (auto& [id, made] : out->found)
    env_.artifacts->find(env_.records, id,
                         [out, &made, me = handle_of(self_),
                          attempt = life_.attempt](const result<made_by_task>& answer) {
                           made = answer;
                           if (out->missing.fetch_sub(1, std::memory_order_acq_rel) == 1)
                             tell(me, order_read{attempt});
                         });
  out->missing.fetch_sub(1, std::memory_order_acq_rel);
  return out;
}

void task_actor::on(order_read& fact) {
  if (fact.attempt != life_.attempt || over() || is_stopping())
    return;
  if (details().order_reads)
    start_with_order();
  else
    hand_over_read();
}

void task_actor::start_with_order() {
  const auto found = details_ ? details_->order_reads : nullptr;
  const auto failure = found && found->is_complete() ? found->failure() : std::nullopt;
  if (found && (!found->is_complete() || failure)) { // it may take long, and is seen meanwhile
    if (lone_)
      env_.lone_tasks.put(lone_->id.str(), handle_of(self_));
    commit();
    return failure ? read_again_later(*failure) : void();
  }
  const auto referenced = referenced_ids(referring_messages());
  if (std::any_of(referenced.begin(), referenced.end(),
                  [&](const task_id& id) { return !found || !found->found.contains(id); }))
    return start_agent(); // it was told more meanwhile
  if (details_)
    details_->order_reads.reset();
  call_agent([&] {
    auto made = make_order(found.get());
    if (!made)
      return fail(report_failed{made.error().message, false});
    on_started(agent_->start(*made, make_port()));
  });
}

result<order_ptr> task_actor::make_order(const reads* found) const {
  auto out = std::make_shared<order>();
  out->id = id();
  out->context = context();
  out->attempt = life_.attempt;
  out->time_scale = env_.options.time_scale;
  out->messages = messages();
  if (const auto* trace = lone_ ? &lone_->trace : plan_->trace.get()) {
    out->traceparent = trace->traceparent;
    out->tracestate = trace->tracestate;
    out->path = trace->path;
  }
  out->deadline = own_deadline();
  if (lone_)
    out->accepted_output_modes = lone_->accepted_output_modes;
  if (details_) {
    out->note = details_->note;
    out->used = details_->used;
    for (const auto& ref : details_->dependencies) {
      const auto* made = found ? found->of(ref.id) : nullptr;
      if (found && !made)
        return is_dropped(ref.id);
      out->dependencies.push_back({ref.id, ref.key, ref.name,
                                   made ? made->artifacts : std::vector<artifact_ptr>{},
                                   ref.called});
    }
  }
  if (found)
    out->references = references_of(referring_messages(), *found);
  if (plan_) {
    const auto& spec = plan_->spec->tasks[task_index_];
    out->name = spec.name;
    out->description = spec.description;
    out->objective_name = plan_->objective_name;
    auto input = follow_references({plan_->spec, &spec.input}, out->dependencies);
    if (!input)
      return input.error();
    out->input = std::move(*input);
  }
  return order_ptr{std::move(out)};
}

std::vector<referenced_task> task_actor::references_of(const std::vector<message_ptr>& messages,
                                                       const reads& found) const {
  return gather_references(messages, [&](const task_id& other) -> const std::vector<artifact_ptr>* {
    const auto* made = found.of(other);
    return made && made->owner == owner() ? &made->artifacts : nullptr;
  });
}

// -- messages -------------------------------------------------------------------------------------

void task_actor::on_input(provide_input& command) {
  const auto* promised = details_ ? details_->promised.get() : nullptr;
  if (command.joint && !command.message) // It is decided.
    return promised && promised->joint == command.joint ? settle_promise() : void();
  if (!is_taken_up_ || waits_for_agent(command) || promised)
    return keep_early(command);
  if (command.claim)
    return on_claim(command);
  if (command.joint && command.joint->is_refused())
    return;
  const auto own_id = id().str();
  if (is_stopping())
    return command.done(task_has_ended(own_id));
  // Of several answers, each is held against its form before one is taken.
  input_given given{command.joint ? command.message : nullptr,
                    command.question,
                    command.answers,
                    own_id,
                    command.by,
                    command.action,
                    overrides_claim(*command.message)};
  task_events ignored;
  static const std::function<message_ptr(const std::string&, const boost::json::object&)> silent;
  if (const auto allowed = decide(life_, given, task_terms{env_.now(), retry(), silent}, ignored);
      !allowed)
    return command.done(allowed.error());
  if (auto refusal = refusal_of_size(*command.message))
    return command.done(std::move(*refusal));
  if (command.joint && !command.joint->is_agreed())
    return promise(std::move(command));
  auto filled = *command.message;
  filled.task_id = own_id;
  filled.context_id = context();
  const auto input = std::make_shared<const message>(std::move(filled));
  given.message = input;
  const auto asked = command.action == answer_action::accept ? question{} : life_.question.get();
  const auto left_open = is_left_open() ? life_.question->id : std::string{};
  const auto decided = take(given);
  if (!decided)
    return command.done(decided.error());
  keep_input(input);
  if (!command.conditions.empty())
    details().conditions = std::move(command.conditions);
  const bool declines = decided->effect == task_effect::question_closed;
  const bool answers = declines || decided->effect == task_effect::give_answer;
  const bool is_left = answers && leave_to_agent(left_open);
  auto taken = take_pending();
  auto told = answers && !is_left ? plan_told(taken, is_parked(), false) : committed_fn{};
  submit(std::move(taken),
         [done = command.done, id = id(), told = std::move(told)](const commit_outcome& outcome) {
           if (outcome.conflict)
             return done(came_before());
           done(id);
           if (told)
             told();
         });
  if (answers)
    show_progress_in_time();
  if (is_left)
    return;
  if (declines)
    return go_on_without_answer(asked, command.action == answer_action::decline
                                           ? question_end::declined
                                           : question_end::canceled);
  if (!run_) {
    if (answers)
      wait_for_slot(); // an agent that asks and keeps nothing running is started again with the
                       // answer
    return;
  }
  if (answers)
    begin_time();
  hand_over(input, answers);
}

void task_actor::on_claim(const provide_input& command) {
  const auto own_id = id().str();
  if (is_stopping())
    return command.done(task_has_ended(own_id));
  const auto decided = take(question_claim{command.question, own_id, command.by,
                                           command.claim->releases, command.claim->overrides});
  if (!decided)
    return command.done(decided.error());
  if (pending_.empty()) // The claim that it confirms may not be durable yet.
    return env_.records.commit({}, [done = command.done, id = id()] { done(id); });
  submit(take_pending(), [done = command.done, id = id()](const commit_outcome&) { done(id); });
}

/// The deadline of the open question has passed. The default of its form is the answer; false if
/// there is none that fits. Nobody signs in by default.
bool task_actor::answer_with_default() {
  const auto asked = life_.question.get();
  const auto* value = asked.form.if_contains("default");
  if (value == nullptr || asked.kind == question_kind::auth)
    return false;
  message said;
  said.message_id = thread_id_source().next("answer");
  said.from = role::user;
  said.metadata[question_id_key] = question_address{id(), asked.id}.str();
  said.parts.push_back(data_part(*value));
  if (!check_answer(asked, said))
    return false;
  provide_input given{std::make_shared<const message>(std::move(said)), {}};
  given.answers = true;
  given.question = asked.id;
  given.by = default_answer_by;
  on_input(given); // No claim lasts beyond the deadline.
  return !life_.question || life_.question->id != asked.id;
}

/// The answer fits. It waits for the others that are taken with it, and messages wait for it.
void task_actor::promise(provide_input command) {
  const auto joint = command.joint;
  details().promised = std::make_unique<provide_input>(std::move(command));
  joint->agree([me = handle_of(self_), joint] {
    provide_input decided{};
    decided.joint = joint;
    tell(me, std::move(decided));
  });
}

/// Called when it is decided whether the promised answer is taken, or when the question may be
/// closed. If the other tasks have not agreed yet, no answer is taken.
void task_actor::settle_promise() {
  if (!details_ || !details_->promised)
    return;
  const auto promised = std::exchange(details_->promised, nullptr);
  const auto question = question_address{id(), promised->question}.str();
  const bool is_refused = promised->joint->refuse(make_error(
      errc::unavailable,
      shown(question) + ": the task changed before all answers were accepted; send them again",
      question));
  if (!is_refused)
    on_input(*promised);
  take_held_inputs();
}

/// Keeps a message that came early, until the task can take it.
void task_actor::keep_early(provide_input& command) {
  auto& early = details().early_inputs;
  const auto bytes = command.message ? bytes_of(*command.message) : 0;
  const auto sum = std::accumulate(
      early.begin(), early.end(), bytes,
      [](std::size_t so_far, const early_input& each) { return so_far + each.held.bytes(); });
  if (early.size() >= task_inputs_max || sum > task_input_bytes_max)
    return command.done(make_error(
        errc::overloaded,
        "too many messages, or too long ones, wait for the task to go on; at most "
            + std::to_string(task_inputs_max) + " wait, of "
            + std::to_string(task_input_bytes_max >> 10) + " KiB together; try again later",
        id().str()));
  auto held = memory_charge::take(env_.memory, memory_account::live_work, bytes);
  if (!held)
    return command.done(env_.memory.refusal(memory_account::live_work, bytes));
  early.push_back({std::move(command), std::move(held)});
}

/// An answer to a question that an earlier process left open. An agent that goes on with a note
/// would take a message that comes before its start for further input: it starts first.
bool task_actor::waits_for_agent(const provide_input& command) const {
  return is_left_open() && !command.claim && !run_ && goes_on() && !over() && !is_stopping();
}

/// Messages that waited until the agent asked again, or did something else.
void task_actor::take_held_inputs() {
  if (!details_)
    return;
  for (auto& each : std::exchange(details_->early_inputs, {}))
    tell(handle_of(self_), std::move(each.command));
}

std::optional<error> task_actor::refusal_of_size(const message& input) const {
  const auto count = details_ ? details_->inputs.size() : 0;
  const auto held = details_ ? details_->input_bytes : 0;
  const auto bytes = bytes_of(input);
  if (count >= task_inputs_max)
    return make_error(errc::limit_exceeded,
                      "the task has " + std::to_string(task_inputs_max)
                          + " messages, which is the limit",
                      id().str());
  if (held + bytes > task_input_bytes_max)
    return make_error(errc::limit_exceeded,
                      "the task has messages of " + std::to_string(held >> 10)
                          + " KiB; with this one of " + std::to_string(bytes >> 10)
                          + " KiB they would exceed the limit of "
                          + std::to_string(task_input_bytes_max >> 10) + " KiB",
                      id().str());
  return std::nullopt;
}

/// To the running agent, in the order in which they came.
void task_actor::hand_over(message_ptr input, bool answers) {
  const auto ids = referenced_ids({input});
  delivery next{std::move(input), answers, ids.empty() ? nullptr : read_made(ids)};
  if (!next.found && (!details_ || details_->deliveries.empty()))
    return deliver(next);
  details().deliveries.push_back(std::move(next));
  hand_over_read();
}

void task_actor::hand_over_read() {
  while (run_ && !is_stopping() && !over() && !details().deliveries.empty()) {
    const auto next = details_->deliveries.front();
    if (next.found && !next.found->is_complete())
      return;
    if (const auto why = next.found ? next.found->failure() : std::nullopt)
      return read_again_later(*why);
    details_->deliveries.pop_front();
    deliver(next);
  }
}

void task_actor::read_deliveries_again() {
  for (auto& next : details().deliveries)
    if (next.found && next.found->is_complete() && next.found->failure())
      next.found = read_made(referenced_ids({next.message}));
  hand_over_read();
}

void task_actor::deliver(const delivery& input) {
  call_agent([&] {
    if (input.found)
      if (const auto references = references_of({input.message}, *input.found); !references.empty())
        run_->on_references(references);
    if (input.answers)
      run_->on_answer(input.message);
    else
      run_->on_input(input.message);
  });
  if (input.answers)
    ask_next();
}

} // namespace troupe
