#include "actors/run_objective.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <memory>
#include <utility>
#include <variant>

#include "protocol/event.hpp"
#include "protocol/plan_state.hpp"

namespace troupe {
namespace {

/// Hears the objective's changes and says once how the run went. Called by the store and by the gateway, on their threads.
class finish_line final : public watcher {
public:
  void on_change(const change_ptr& what) override {
    for (const auto& happened : what->events) {
      const auto* moved = std::get_if<objective_moved>(&happened);
      if (moved != nullptr && (is_settled(moved->to) || moved->to == objective_state::blocked)) {
        announce(what->context);
      }
    }
  }

  void announce(result<std::string> how) {
    if (!said_.exchange(true)) {
      how_.set_value(std::move(how));
    }
  }

  [[nodiscard]] result<std::string> wait() { return how_.get_future().get(); }

private:
  std::atomic<bool> said_ = false;
  std::promise<result<std::string>> how_;
};

} // namespace

result<objective_ptr> run_objective(gateway& door, objective_spec what) {
  const auto has_tasks = [](const plan_spec_ptr& plan) { return !plan->tasks.empty(); };
  if (std::ranges::none_of(what.plans, has_tasks)) {
    return make_error(errc::invalid_params, "An objective without tasks never ends by itself.", "plans");
  }
  const auto line = std::make_shared<finish_line>();
  door.create({.who = {}, .spec = std::move(what), .start = true, .request = nullptr}, line,
              [line](result<objective_ptr> made) {
                if (!made) {
                  line->announce(made.error());
                }
              });
  const auto settled = line->wait();
  if (!settled) {
    return settled.error();
  }
  door.records().unwatch(*settled, line);
  return door.records().find_objective(objective_id(*settled));
}

} // namespace troupe
