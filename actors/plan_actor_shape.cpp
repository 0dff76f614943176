// Changes of a plan's shape while it runs.
#include "actors/once_answer.hpp"
#include "actors/once_desk.hpp"
#include "actors/plan_actor.hpp"

#include <algorithm>

namespace troupe {

// Its tasks find in it what they were spawned with, whatever is changed later: what has begun is
// fixed.
void plan_actor::make_scope() {
  scope_ = std::make_shared<const plan_scope>(
      plan_scope{view_.spec, start_.index, start_.context, start_.owner, start_.objective_name,
                 handle_of(self_), start_.slots, start_.trace, start_.references, start_.made});
}

void plan_actor::on_reshape(const reshape_tasks& message) {
  auto terms = message.terms;
  terms.now = env_.now();
  terms.is_fixed = [this](std::uint32_t task) {
    return has_begun(task) || running_[task] != nullptr;
  };
  terms.is_awaited = [this](std::uint32_t task) { return awaited_.contains(task); };
  const auto refuse = [&](error why) {
    message.done(std::move(why));
    tell(start_.objective, shape_settled{start_.index, nullptr});
  };
  if (end_)
    return refuse(
        make_error(errc::invalid_transition, "the plan is being ended and stays as it is", "id"));
  if (!shape_)
    shape_.emplace(*view_.spec);
  auto decided = decide(view_, *shape_, message.command, terms);
  if (!decided)
    return refuse(decided.error());
  const auto changed = std::make_shared<const plan_changed>(std::move(*decided));
  std::vector<event> events{*changed};
  if (auto removed = removed_by(*changed); !removed.empty())
    events.emplace_back(tasks_withdrawn{start_.index, std::move(removed), task_state::canceled,
                                        "removed from its plan"});
  auto reshaped = change_of(std::move(events));
  reshaped.by = changed->author;
  reshaped.conditions = answered(message.command.conditions, {.plan = view_.spec->id});
  env_.records.commit(std::move(reshaped), [objective = start_.objective, changed,
                                            id = view_.spec->id,
                                            done = message.done](const commit_outcome& outcome) {
    tell(objective, shape_settled{changed->plan, changed});
    done(outcome.conflict ? result<plan_id>{came_before()} : result<plan_id>{id});
  });
  follow(*changed);
}

// What the change sets free begins; what it holds back leaves the line.
void plan_actor::follow(const plan_changed& changed) {
  make_scope();
  running_.resize(view_.tasks.size());
  parked_.resize(view_.tasks.size());
  auto freed = apply(graph_, changed);
  std::vector<ready_task> moved;
  bool holds_back = false;
  for (const auto& each : changed.operations) {
    holds_back = holds_back || std::holds_alternative<remove_task<std::uint32_t>>(each)
                 || std::holds_alternative<add_dependency<std::uint32_t>>(each);
    const auto* set = std::get_if<set_priority<std::uint32_t>>(&each);
    const auto* put = std::get_if<put_task<std::uint32_t>>(&each);
    if (!set && !put)
      continue;
    const auto task = set ? set->task : put->task;
    const auto at =
        std::ranges::find_if(ready_, [&](const ready_task& ready) { return ready.task == task; });
    if (at == ready_.end())
      continue;
    moved.push_back(*at);
    ready_.erase(at);
  }
  for (const auto& ready : moved)
    put_in_line(ready);
  if (holds_back)
    std::erase_if(ready_,
                  [this](const ready_task& ready) { return !graph_.is_released(ready.task); });
  // A task that was held back and let go in the same change stands in line already.
  std::erase_if(freed, [this](std::uint32_t task) {
    return std::ranges::find(ready_, task, &ready_task::task) != ready_.end();
  });
  release(std::move(freed));
  check();
}

} // namespace troupe
