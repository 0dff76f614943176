#include <troupe/actors/run_objective.hpp>
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/plan_state.hpp>
#include <troupe/store/await.hpp>

#include <algorithm>
#include <atomic>
#include <future>
#include <memory>
#include <utility>
#include <variant>

namespace troupe {
namespace {

/// Hears the objective's changes and says once how the run went. Called by the store and by the
/// gateway, on their threads.
class end_watcher final : public watcher {
public:
  void on_change(const change_ptr& news) override {
    for (const auto& happened : news->events) {
      const auto* moved = std::get_if<objective_moved>(&happened);
      if (moved != nullptr
          && (is_settled(moved->to()) || moved->to() == objective_state::blocked)) {
        announce(news->context);
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

result<objective_ptr> run_objective(gateway& door, objective_spec spec) {
  const auto has_tasks = [](const plan_spec_ptr& plan) { return !plan->tasks.empty(); };
  if (std::ranges::none_of(spec.plans, has_tasks)) {
    return make_error(errc::invalid_params, "An objective without tasks never ends by itself.",
                      "plans");
  }
  const auto watcher = std::make_shared<end_watcher>();
  door.create({.who = {}, .spec = std::move(spec), .start = true, .request = nullptr}, watcher,
              [watcher](result<objective_ptr> made) {
                if (!made) {
                  watcher->announce(made.error());
                }
              });
  const auto settled = watcher->wait();
  if (!settled) {
    return settled.error();
  }
  door.records().unwatch(*settled, watcher);
  return await_read<objective_ptr>(
      [&](auto done) { door.records().read_objective(objective_id(*settled), std::move(done)); });
}

} // namespace troupe
