// Everything that a store says about what a random life has brought into the world, as text: two
// stores that say the same are equal for their clients.
#pragma once

#include "tests/store/kinds.hpp"
#include "tests/store/random_changes.hpp"
#include "tests/support/reads.hpp"

#include <string>

namespace troupe::testing {

/// Everything the store says about what `script` has brought into the world.
template<class Store>
[[nodiscard]] std::string describe_all(Store& in, const random_changes& script) {
  std::string out;
  for (const auto& id : script.objectives)
    out += describe(find_objective(in, objective_id{id})) + "\n";
  for (const auto& id : script.tasks)
    out += id + " " + describe(find_task(in, task_id{id})) + "\n";
  list_tasks query;
  query.page_size = 100;
  const auto page = list(in, query);
  if (!page)
    return page.error().message;
  out += std::to_string(page->total_size) + ":";
  for (const auto& each : page->tasks)
    out += " " + each->id.str();
  list_objectives objectives;
  const auto second = list(in, objectives);
  if (!second)
    return second.error().message;
  out += "\n" + std::to_string(second->total_size) + ":";
  for (const auto& each : second->objectives)
    out += " " + each->id.str();
  return out;
}

} // namespace troupe::testing
