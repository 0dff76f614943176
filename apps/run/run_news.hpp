// What a run's screen is told of its objective: each change, for a screen that prints them, or, for
// one that shows how things stand, frames with the latest of what changed. One thread reads;
// changes come from any.
#pragma once

#include "actors/feed/feed.hpp"
#include "actors/feed/folded_feed.hpp"
#include "apps/run/inbox.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/objective.hpp>

#include <chrono>
#include <memory>
#include <vector>

namespace troupe {

class run_news {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// `to` is woken when there is something to take. `budget` counts what waits.
  run_news(std::shared_ptr<inbox> to, bool is_folded, feed_budget_ptr budget);

  /// For the service, which begins it (service::create, service::follow). Call `begin` when the
  /// service has answered.
  [[nodiscard]] std::shared_ptr<any_feed> feed_to_begin() const;
  /// From now on there is something to take: all that happened, or what happened after the snapshot
  /// that was the service's answer.
  void begin();

  struct batch {
    objective_ptr
        anew; ///< Set if changes before the ones here are not kept: the objective as it was then.
    std::vector<change_ptr> changes; ///< In commit order.
    bool more = false;               ///< Take again at once.
  };
  [[nodiscard]] result<batch> take(time_point now);

private:
  std::shared_ptr<feed> each_;          ///< Null if folded.
  std::shared_ptr<folded_feed> folded_; ///< Null unless folded.
  bool has_begun_ = false;
};

} // namespace troupe
