#include "actors/planning/asking.hpp"

#include <functional>
#include <memory>
#include <utility>
#include <variant>

namespace troupe {

namespace {

/// Tells the desk when the objective ends, so that nobody plans it any more.
class end_watch final : public watcher {
public:
  explicit end_watch(std::function<void()> on_end) : on_end_(std::move(on_end)) {}
  void on_change(const change_ptr& news) override {
    for (const auto& each : news->events)
      if (const auto* moved = std::get_if<objective_moved>(&each);
          moved != nullptr && is_settled(moved->to()))
        on_end_();
  }

private:
  const std::function<void()> on_end_;
};

} // namespace

void ask_about(gateway& to, const objective_id& id, planning_query query,
               reply<planned_message_ptr> done) {
  query.asks_planner = true;
  query.objective = id.str();
  query.message = nullptr;
  const auto watch =
      std::make_shared<end_watch>([&desk = to.planning(), id = id.str()] { desk.cancel(id); });
  to.records().snapshot_objective(
      id, watch,
      [&to, id, watch, query = std::move(query),
       done = std::move(done)](const result<objective_snapshot>&) {
        to.planning().ask(query,
                          [&to, id, watch, done](const result<planned_message_ptr>& planned) {
                            to.records().unwatch(id.str(), watch);
                            done(planned);
                          });
      });
}

} // namespace troupe
