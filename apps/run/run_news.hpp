// What a run's screen is told of its objective: each change, for a screen that prints them, or, for
// one that shows how things stand, frames with the latest of what changed. One thread reads;
// changes come from any.
#pragma once

#include "actors/feed/feed.hpp"
#include "actors/feed/folded_feed.hpp"
#include "apps/run/inbox.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/store/store.hpp>

#include <chrono>
#include <memory>
#include <vector>

namespace troupe {

class run_news {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// `records` outlives it. `to` is woken when there is something to take.
  run_news(store& records, std::shared_ptr<inbox> to, bool is_folded);
  /// Watches no more.
  ~run_news();
  run_news(const run_news&) = delete;
  run_news& operator=(const run_news&) = delete;

  /// What is to watch an objective from its first change on (gateway::create). Call `follow` once
  /// its id is known.
  [[nodiscard]] watcher_ptr live() const;
  void follow(const objective_id& id);
  /// Watches one that is there; the objective as it is, null if there is none.
  [[nodiscard]] objective_ptr open(const objective_id& id);

  struct batch {
    objective_ptr
        anew; ///< Set if changes before the ones here are not kept: the objective as it was then.
    std::vector<change_ptr> changes; ///< In commit order.
    bool more = false;               ///< Take again at once.
  };
  [[nodiscard]] result<batch> take(time_point now);

private:
  store& records_;
  std::unique_ptr<feed> each_;          ///< Null if folded.
  std::shared_ptr<folded_feed> folded_; ///< Null unless folded.
  objective_id watched_;                ///< If folded.
};

} // namespace troupe
