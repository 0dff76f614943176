// The end of a gateway: what its actors have said last still waits for the store, and leads back to
// them.
#include "tests/support/actor_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/passing_store.hpp"
#include "tests/support/reads.hpp"
#include "tests/support/results.hpp"

#include <atomic>
#include <deque>
#include <mutex>

using namespace troupe;
using namespace troupe::testing;

namespace {

/// Keeps changes waiting, as a slow disk does, until it is drained or let through.
class holding_store final : public passing_store {
public:
  void commit(change change, committed_fn then, watcher_ptr follow) override {
    const std::lock_guard lock{guard_};
    waiting_.push_back({std::move(change), std::move(then), std::move(follow)});
    if (!is_holding_)
      pass_all();
  }
  void flush() override { drain(); }
  void drain() override {
    const std::lock_guard lock{guard_};
    pass_all();
  }

  void hold() {
    const std::lock_guard lock{guard_};
    is_holding_ = true;
  }
  std::size_t waiting() {
    const std::lock_guard lock{guard_};
    return waiting_.size();
  }

private:
  struct held {
    change submitted;
    committed_fn then;
    watcher_ptr follow;
  };

  void pass_all() {
    for (; !waiting_.empty(); waiting_.pop_front()) {
      auto& next = waiting_.front();
      passing_store::commit(std::move(next.submitted), std::move(next.then),
                            std::move(next.follow));
    }
  }

  std::mutex guard_;
  std::deque<held> waiting_;
  bool is_holding_ = false;
};

} // namespace

TEST_CASE("a gateway that ends lets go of an agent that takes long to stop", "[actors][gateway]") {
  actor_bed bed{{.cancel_grace = std::chrono::milliseconds{1}}};
  bed.held->stops_at_once = false;
  bed.held->grace_min = std::chrono::hours{1};
  const auto made = bed.begin(an_objective({a_plan("p", {a_task("a", {}, "held")})}));
  REQUIRE(made);
  static_cast<void>(bed.held->port("a"));
  awaited<task_ptr> canceled;
  bed.door().cancel(cancel_task{{}, (*made)->plans[0].task_at(0), {}}, canceled.to());
  REQUIRE(canceled.get());
  CHECK(bed.held->cancels() == 1);
  bed.stop(); // returns
}

TEST_CASE("a gateway that ends leaves nothing of its own in the store", "[actors][gateway]") {
  auto owned = std::make_unique<holding_store>();
  auto& records = *owned;
  actor_bed bed{std::move(owned), {}};
  // A plan's task that has ended, whose plan waits to hear of it; and an objective whose creator
  // waits, with an id of its own.
  const auto made =
      bed.begin(an_objective({a_plan("p", {a_task("a", {}, "held"), a_task("b", {"a"}, "held")})}));
  REQUIRE(made);
  const auto port = bed.held->port("a");
  const auto first = (*made)->plans[0].task_at(0);
  REQUIRE(comes_true([&] { // Else its begin would wait, too.
    const auto begun = find_task(records, first);
    return begun && begun->status.state == task_state::working;
  }));
  records.hold();
  port->report(report_completed{});
  REQUIRE(comes_true([&] { return records.waiting() == 1; }));
  create_objective second;
  second.spec = an_objective({a_plan("q", {a_task("c")})});
  second.spec.id = objective_id{"chosen"};
  std::atomic<int> answers{0};
  bed.door().create(std::move(second), nullptr, [&](const result<objective_ptr>& how) {
    answers += how.has_value() ? 1 : 100;
  });
  REQUIRE(comes_true([&] { return records.waiting() > 1; }));
  bed.stop();
  CHECK(records.waiting() == 0);
  CHECK(answers == 1);
  CHECK(find_objective(records, objective_id{"chosen"}));
  CHECK(find_task(records, first)->status.state == task_state::completed);
  CHECK(bed.held->starts() == 1);
}
