#include "actors/slots/throttle_actor.hpp"

#include <utility>

namespace troupe {

namespace {

/// Null if the agent has no limit.
const throttle_handle* agent_throttle(const environment& env, const std::string& agent) {
  const auto found = env.agent_slots.find(agent);
  return found == env.agent_slots.end() ? nullptr : &found->second;
}

} // namespace

actor_behavior<throttle_handle> throttle_actor::make_behavior() {
  return {
      [this](want_slot& wanted) { on_wanted(wanted); },
      [this](const return_slot& returned) { on_returned(returned); },
      [this](const reorder_slots& message) { on_reordered(message); },
      [this](const resize_slots& message) {
        pool_.resize(message.capacity);
        grant();
      },
  };
}

void throttle_actor::on_wanted(want_slot& wanted) {
  const auto ticket = wanted.request.ticket;
  if (returned_early_.erase(ticket) > 0)
    return;
  pool_.request(wanted.request, env_.now());
  entries_.emplace(
      ticket, entry{std::move(wanted.task), std::move(wanted.request), std::move(wanted.agent)});
  grant();
}

void throttle_actor::on_returned(const return_slot& returned) {
  const auto found = entries_.find(returned.ticket);
  if (found == entries_.end()) {
    returned_early_.insert(returned.ticket);
    return;
  }
  if (const auto& [task, request, agent] = found->second; !task && !agent.empty())
    tell(env_.agent_slots.at(agent), return_slot{returned});
  pool_.give_back(returned.ticket, returned.held);
  entries_.erase(found);
  grant();
}

void throttle_actor::on_reordered(const reorder_slots& message) {
  pool_.reorder(message.objective, message.priority);
  for (auto& [ticket, asked] : entries_)
    if (asked.request.objective == message.objective)
      asked.request.objective_priority = message.priority;
}

void throttle_actor::grant() {
  while (const auto ticket = pool_.next(env_.now())) {
    auto& [task, request, agent] = entries_.at(*ticket);
    if (agent.empty())
      tell(std::exchange(task, nullptr), slot_granted{*ticket});
    else
      tell(env_.agent_slots.at(agent),
           want_slot{std::move(request), {}, std::exchange(task, nullptr)});
  }
}

bool needs_slots(const environment& env, const throttle_handle& objective,
                 const std::string& agent) {
  return objective || agent_throttle(env, agent);
}

bool request_slots(environment& env, const throttle_handle& objective, const std::string& agent,
                   slot_request wanted, const task_handle& task) {
  const auto* limit = agent_throttle(env, agent);
  if (objective)
    tell(objective, want_slot{std::move(wanted), limit ? agent : std::string{}, task});
  else if (limit)
    tell(*limit, want_slot{std::move(wanted), {}, task});
  return objective || limit;
}

void reorder_slots_of(environment& env, const throttle_handle& objective,
                      const reorder_slots& message) {
  if (objective)
    tell(objective, reorder_slots{message});
  for (const auto& [agent, limit] : env.agent_slots)
    tell(limit, reorder_slots{message});
}

void return_slots(environment& env, const throttle_handle& objective, const std::string& agent,
                  const return_slot& returned) {
  if (objective)
    tell(objective, return_slot{returned});
  else if (const auto* limit = agent_throttle(env, agent))
    tell(*limit, return_slot{returned});
}

} // namespace troupe
