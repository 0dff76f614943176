#include "store/answers.hpp"

#include "store/id_claims.hpp"

#include <utility>

namespace troupe {

result<task_ptr> answer_task(const ledger& live, const archive_reads& ended, const task_id& id) {
  if (auto found = live.find_task(id, ended))
    return found;
  return unknown_task(id.str());
}

result<objective_ptr> answer_objective(const ledger& live, const archive_reads& ended,
                                       const objective_id& id) {
  if (auto found = live.find_objective(id, ended))
    return found;
  return unknown_objective(id.str());
}

result<objective_ptr> answer_objective(const ledger& live, const archive_reads& ended,
                                       const plan_id& id) {
  const auto whole = live.objective_of(id, ended);
  auto found = whole ? live.find_objective(*whole, ended) : nullptr;
  if (found)
    return found;
  return unknown_plan(id.str());
}

result<placement> answer_placement(const ledger& live, const archive_reads& ended,
                                   const task_id& id) {
  if (auto found = live.placement_of(id, ended))
    return *std::move(found);
  return unknown_task(id.str());
}

result<placement> answer_placement(const ledger& live, const archive_reads& ended,
                                   const objective_id& id) {
  if (auto found = live.placement_of(id, ended))
    return *std::move(found);
  return unknown_objective(id.str());
}

result<placement> answer_placement(const ledger& live, const archive_reads& ended,
                                   const plan_id& id) {
  const auto whole = live.objective_of(id, ended);
  const auto found = whole ? live.find_objective(*whole, ended) : nullptr;
  for (std::uint32_t index = 0; found && index < found->plans.size(); ++index)
    if (found->plans[index].spec->id == id)
      return placement{.kind = placement::id_kind::plan,
                       .owner = found->owner,
                       .objective = *whole,
                       .plan = index};
  return unknown_plan(id.str());
}

result<task_snapshot> answer_snapshot(ledger& live, const archive_reads& ended, const task_id& id,
                                      const watcher_ptr& who) {
  auto found = live.snapshot_task(id, who, ended);
  if (found.record)
    return found;
  return unknown_task(id.str());
}

result<objective_snapshot> answer_snapshot(ledger& live, const archive_reads& ended,
                                           const objective_id& id, const watcher_ptr& who) {
  auto found = live.snapshot_objective(id, who, ended);
  if (found.view)
    return found;
  return unknown_objective(id.str());
}

result<void> answer_unused(const ledger& live, const archive_reads& ended,
                           const std::vector<std::string>& ids) {
  for (const auto& id : ids)
    if (live.knows_task(task_id{id}, ended) || live.knows_objective(objective_id{id}, ended)
        || live.objective_of(plan_id{id}, ended))
      return id_is_taken(id);
  return {};
}

} // namespace troupe
