// Commands that may come once, and come again.
#include "actors/commands/fingerprint.hpp"
#include "actors/commands/once_answer.hpp"
#include "actors/gateway/gateway_impl.hpp"

#include <utility>

namespace troupe {

namespace {

/// What makes a message the same one (docs/a2a.md, "The same message again"), beside its owner.
std::string key_of(const message& of) {
  std::string out;
  for (const auto* part : {&of.context_id, &of.task_id, &of.message_id})
    out += std::to_string(part->size()) + ":" + *part;
  return out;
}

/// A message that joined or made an objective is answered with the task that stands for it, else
/// with the first task of its plan.
sent sent_to(const objective_view& objective, std::uint32_t plan) {
  const auto& root = objective.root_task;
  sent out;
  out.task =
      root.empty() && plan < objective.plans.size() ? objective.plans[plan].task_at(0) : root;
  out.context = objective.id.str();
  out.repeated = true;
  out.objective = objective.id;
  return out;
}

} // namespace

std::vector<once> gateway::impl::conditions_of(const send_message& command) const {
  std::vector<once> out;
  if (options.deduplicate_seconds == 0 && command.request_id.empty()
      && command.idempotency_key.empty())
    return out;
  const auto content = fingerprint_of(command);
  const auto add = [&](once_kind kind, std::string key, std::chrono::seconds window) {
    out.push_back({kind, owner_of(command.who), std::move(key), content, now() + window, {}});
  };
  if (options.deduplicate_seconds > 0)
    add(once_kind::message, key_of(command.message),
        std::chrono::seconds{options.deduplicate_seconds});
  if (!command.request_id.empty())
    add(once_kind::request, "message " + command.request_id, request_id_window);
  if (!command.idempotency_key.empty())
    add(once_kind::idempotency_key, command.idempotency_key, idempotency_key_window);
  return out;
}

void gateway::impl::answer_again(const once& came, const principal& who,
                                 const reply<sent>& done) const {
  const auto first = read_once_answer(came);
  if (!first)
    return done(first.error());
  sent out;
  out.repeated = true;
  out.task = first->task;
  out.context = first->context;
  out.answer = first->message;
  if (!first->task.empty() || first->message)
    return done(std::move(out));
  const auto client = client_of(who);
  if (!first->objective.empty())
    return records.read_objective(
        first->objective,
        [id = first->objective, done](const result<objective_ptr>& found) {
          if (!found)
            return done(is_not_found(found.error().code) ? unknown_of(id) : found.error());
          done(sent_to(**found, 0));
        },
        client);
  records.read_objective(
      first->plan,
      [id = first->plan, done](const result<objective_ptr>& found) {
        if (!found)
          return done(is_not_found(found.error().code) ? unknown_of(id) : found.error());
        std::uint32_t plan = 0;
        while (plan < (*found)->plans.size() && (*found)->plans[plan].spec->id != id)
          ++plan;
        done(sent_to(**found, plan));
      },
      client);
}

// A message may have led to another kind of object. The desk answers a repeat of it. These
// functions are called only after a conflict with another process; the client may send the message
// again.

void gateway::impl::answer_again(const once& came, const principal& who,
                                 const reply<task_ptr>& done) const {
  const auto first = read_once_answer(came);
  if (!first || first->task.empty())
    return done(first ? came_before() : first.error());
  records.read_task(first->task, done, client_of(who));
}

void gateway::impl::answer_again(const once& came, const principal& who,
                                 const reply<objective_ptr>& done) const {
  const auto first = read_once_answer(came);
  if (!first || first->objective.empty())
    return done(first ? came_before() : first.error());
  records.read_objective(first->objective, done, client_of(who));
}

void gateway::impl::answer_again(const once& came, const principal&,
                                 const reply<plan_id>& done) const {
  const auto first = read_once_answer(came);
  if (!first || first->plan.empty())
    return done(first ? came_before() : first.error());
  done(first->plan);
}

void gateway::impl::answer_again(const once& came, const principal&,
                                 const reply<change_report>& done) const {
  const auto first = read_once_answer(came);
  if (!first || !first->changed)
    return done(first ? came_before() : first.error());
  done(*first->changed);
}

void gateway::impl::answer_again(const once& came, const principal& who,
                                 const reply<replan_report>& done) const {
  answer_again(came, who, reply<change_report>{[done](const result<change_report>& first) {
                 if (!first)
                   return done(first.error());
                 replan_report again;
                 again.change = *first;
                 done(std::move(again));
               }});
}

} // namespace troupe
