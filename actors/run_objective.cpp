#include "actors/feed/change_wait.hpp"
#include "actors/feed/store_source.hpp"
#include "actors/service/service.hpp"
#include <troupe/actors/run_objective.hpp>
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/plan_state.hpp>
#include <troupe/store/await.hpp>

#include <algorithm>
#include <memory>
#include <semaphore>
#include <utility>
#include <variant>

namespace troupe {
namespace {

constexpr bool ends_run(objective_state state) noexcept {
  return is_settled(state) || state == objective_state::blocked;
}

bool may_end_run(const change& news) noexcept {
  return std::ranges::any_of(news.events, [](const event& each) {
    const auto* moved = std::get_if<objective_moved>(&each);
    return moved != nullptr && ends_run(moved->to());
  });
}

/// Waits until the objective has settled or is blocked. Errors: those of feed_source::open.
result<void> wait_for_end(store& records, const objective_id& id) {
  const auto told = std::make_shared<std::counting_semaphore<>>(0);
  const change_wait waiting(make_objective_source(records, id), &may_end_run,
                            change_wait::time_point::max(), [told] { told->release(); });
  for (;;) {
    told->acquire();
    if (waiting.look({}) == change_wait::outcome::changed)
      return {};
    const auto begun = waiting.begun();
    if (begun && !*begun)
      return begun->error();
    if (begun && ends_run((*begun)->objective->state))
      return {};
  }
}

} // namespace

result<objective_ptr> run_objective(gateway& main_gateway, objective_spec spec) {
  const auto has_tasks = [](const plan_spec_ptr& plan) { return !plan->tasks.empty(); };
  if (std::ranges::none_of(spec.plans, has_tasks)) {
    return make_error(errc::invalid_params, "an objective without tasks never ends by itself",
                      "plans");
  }
  const service operations(main_gateway);
  create_objective command;
  command.spec = std::move(spec);
  command.start = true;
  const auto made = await_read<objective_ptr>(
      [&](auto done) { operations.create(std::move(command), std::move(done)); });
  if (!made)
    return made.error();
  const auto id = (*made)->id;
  if (const auto ended = wait_for_end(main_gateway.records(), id); !ended)
    return ended.error();
  return await_read<objective_ptr>(
      [&](auto done) { operations.get(get_objective{.who = {}, .id = id}, std::move(done)); });
}

} // namespace troupe
