#include "apps/run/run_mending.hpp"

#include <troupe/protocol/event.hpp>
#include <troupe/store/await.hpp>

#include <memory>
#include <utility>
#include <variant>

namespace troupe {

namespace {

constexpr std::uint32_t history_page_size = 100;
constexpr const char* mend_reason = "the file of the plan was mended";

/// The tasks that a change has added.
void note_added(const plan_changed& changed, const plan_view& plan, std::uint32_t position,
                std::set<task_position>& to) {
  if (changed.author.empty())
    return;
  for (const auto& each : changed.operations)
    if (const auto* added = std::get_if<add_task>(&each))
      for (std::uint32_t t = 0; t < plan.spec->tasks.size(); ++t)
        if (plan.spec->tasks[t].id == added->spec.id)
          to.insert({position, t});
}

result<void> change_plans(const service& operations, const mended_run& mended, bool is_dry) {
  for (const auto& each : mended.plans) {
    change_plan command{.who = {},
                        .id = each.plan,
                        .operations = each.operations,
                        .reason = mend_reason,
                        .if_revision = {},
                        .dry_run = is_dry};
    const auto done = await_read<change_report>(
        [&](auto answer) { operations.modify(std::move(command), std::move(answer)); });
    if (!done)
      return done.error();
  }
  return {};
}

result<void> change_objective_itself(const service& operations, const objective_id& id,
                                     const mended_run& mended, bool is_dry) {
  if (mended.objective.empty())
    return {};
  modify_objective command{.who = {},
                           .id = id,
                           .operations = mended.objective,
                           .reason = mend_reason,
                           .if_revision = {},
                           .dry_run = is_dry};
  for (auto& each : command.operations) // It gets its ids in there.
    if (auto* fresh = std::get_if<new_plan>(&each))
      fresh->spec = std::make_shared<plan_spec>(*fresh->spec);
  const auto done = await_read<change_report>(
      [&](auto answer) { operations.modify(std::move(command), std::move(answer)); });
  return done ? result<void>{} : result<void>{done.error()};
}

} // namespace

result<std::set<task_position>> tasks_made_by_tasks(const service& operations,
                                                    const objective_view& recorded) {
  std::set<task_position> out;
  for (std::uint32_t p = 0; p < recorded.plans.size(); ++p) {
    const auto& plan = recorded.plans[p];
    get_plan_history query{.who = {}, .id = plan.spec->id, .page_size = history_page_size};
    do {
      const auto page = await_read<plan_history_page>(
          [&](auto answer) { operations.list(query, std::move(answer)); });
      if (!page)
        return page.error();
      for (const auto& each : page->changes)
        if (const auto* changed = std::get_if<plan_changed>(&each.change->events[each.event]))
          note_added(*changed, plan, p, out);
      query.page_token = page->next_page_token;
    } while (!query.page_token.empty());
  }
  return out;
}

result<void> change_renewed(const service& operations, const objective_id& id,
                            const mended_run& mended) {
  for (const bool is_dry : {true, false}) {
    if (auto done = change_plans(operations, mended, is_dry); !done)
      return done;
    if (auto done = change_objective_itself(operations, id, mended, is_dry); !done)
      return done;
  }
  return {};
}

} // namespace troupe
