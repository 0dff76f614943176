#include "actors/planning/asking.hpp"

#include "actors/commands/placing.hpp"
#include "actors/planning/so_far.hpp"
#include "protocol/owner_parts.hpp"

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

void with_so_far(gateway& to, const objective_id& id, planning_query query,
                 const std::function<void(planning_query)>& next) {
  if (query.so_far || !query.request.is_within_objective || !to.planning().has_planner())
    return next(std::move(query));
  to.records().read_objective(id, [&to, query, next](const result<objective_ptr>& now) {
    if (!now || !*now)
      return next(query);
    read_so_far(to.records(), *now, client_of(principal_of((*now)->owner)),
                [query, next](const result<std::shared_ptr<const objective_so_far>>& found) {
                  auto with = query;
                  if (found)
                    with.so_far = *found;
                  next(std::move(with));
                });
  });
}

void ask_about(gateway& to, const objective_id& id, planning_query query,
               reply<planned_message_ptr> done) {
  query.asks_planner = true;
  query.objective = id.str();
  query.message = nullptr;
  const auto watch =
      std::make_shared<end_watch>([&desk = to.planning(), id = id.str()] { desk.cancel(id); });
  with_so_far(
      to, id, std::move(query), [&to, id, watch, done = std::move(done)](planning_query with) {
        to.records().snapshot_objective(
            id, watch,
            [&to, id, watch, done, query = std::move(with)](const result<objective_snapshot>&) {
              to.planning().ask(query,
                                [&to, id, watch, done](const result<planned_message_ptr>& planned) {
                                  to.records().unwatch(id.str(), watch);
                                  done(planned);
                                });
            });
      });
}

} // namespace troupe
