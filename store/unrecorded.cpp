#include "store/unrecorded.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

task_status status_of(const withdrawal& withdrawal, const objective_view& owner,
                      const task_id& id) {
  task_status out{withdrawal.to, nullptr, withdrawal.at};
  if (withdrawal.reason.empty())
    return out;
  auto why = std::make_shared<message>();
  why->message_id = id.str() + ".withdrawn";
  why->from = role::agent;
  why->parts.push_back(text_part(withdrawal.reason));
  why->context_id = owner.id.str();
  why->task_id = id.str();
  why->metadata = withdrawal.metadata;
  out.message = std::move(why);
  return out;
}

/// Where a task of a list is; made into a task once it is known to be on the page.
struct listed_unrecorded {
  std::uint32_t plan = 0;
  std::uint32_t task = 0;
  const withdrawal* withdrawn = nullptr; ///< Null: it has not begun.
};

bool passes(const task_filter& filter, task_state state, timestamp at) {
  return (!filter.state || *filter.state == state)
         && (!filter.status_after || at >= *filter.status_after);
}

void offer(first_rows<listed_unrecorded>& rows, const plan_view& plan, timestamp at,
           const listed_unrecorded& where) {
  if (plan.tasks[where.task].generation
      == 0) // Its id is at hand: a wide plan is walked without making one for each.
    rows.offer(at, plan.spec->tasks[where.task].id.str(), where);
  else
    rows.offer(at, plan.task_at(where.task).str(), where);
}

void offer_unbegun(first_rows<listed_unrecorded>& rows, const plan_view& plan,
                   std::uint32_t index) {
  for (std::uint32_t task = 0; task < plan.tasks.size(); ++task)
    if (plan.tasks[task].state == task_state::unspecified)
      offer(rows, plan, plan.created, {index, task, nullptr});
}

void offer_withdrawn(first_rows<listed_unrecorded>& rows, const plan_view& plan,
                     const withdrawal& withdrawal) {
  for (const auto task : withdrawal.tasks)
    if (task < plan.tasks.size() && is_terminal(plan.tasks[task].state)
        && plan.tasks[task].attempt == 0)
      offer(rows, plan, withdrawal.at, {withdrawal.plan, task, &withdrawal});
}

} // namespace

task_ptr make_unrecorded(const objective_view& owner, const task_id& id, const task_place& place,
                         task_status status, const std::vector<artifact_ptr>& artifacts) {
  const auto& plan = owner.plans[place.plan];
  auto out = std::make_shared<task>();
  out->id = id;
  out->context = owner.id.str();
  out->owner = owner.owner;
  out->origin = task_origin{plan.spec, place.plan, place.task};
  out->artifacts = artifacts;
  out->agent = plan.spec->tasks[place.task].agent;
  out->status = std::move(status);
  out->created = plan.created;
  return out;
}

task_status unbegun_status(const plan_view& plan) {
  return {task_state::submitted, nullptr, plan.created};
}

task_ptr make_withdrawn(const objective_view& owner, const std::vector<withdrawal>& known,
                        const task_id& id, const task_place& place) {
  const auto took = [&](const withdrawal& each) {
    return each.plan == place.plan
           && std::find(each.tasks.begin(), each.tasks.end(), place.task) != each.tasks.end();
  };
  const auto last = std::find_if(known.rbegin(), known.rend(), took);
  if (last == known.rend())
    return make_unrecorded(owner, id, place,
                           {task_state::canceled, nullptr, owner.plans[place.plan].updated});
  return make_unrecorded(owner, id, place, status_of(*last, owner, id), last->artifacts);
}

listed<task_ptr> list_unrecorded(const objective_state_of_record& owner, const task_filter& filter,
                                 const std::optional<position>& after, std::size_t count) {
  const auto& plans = owner.view->plans;
  first_rows<listed_unrecorded> rows{after, count};
  for (std::uint32_t p = 0; p < plans.size(); ++p)
    if (passes(filter, task_state::submitted, plans[p].created))
      offer_unbegun(rows, plans[p], p);
  for (const auto& each : owner.withdrawn)
    if (each.plan < plans.size() && passes(filter, each.to, each.at))
      offer_withdrawn(rows, plans[each.plan], each);
  const auto found = rows.take();
  listed<task_ptr> out{.rows = {}, .total = found.total, .more = false};
  for (const auto& each : found.rows) {
    const auto& plan = plans[each.plan];
    const auto id = plan.task_at(each.task);
    auto status = each.withdrawn != nullptr ? status_of(*each.withdrawn, *owner.view, id)
                                            : unbegun_status(plan);
    out.rows.push_back(make_unrecorded(
        *owner.view, id, {owner.view->id, each.plan, each.task}, std::move(status),
        each.withdrawn != nullptr ? each.withdrawn->artifacts : std::vector<artifact_ptr>{}));
  }
  return out;
}

} // namespace troupe
