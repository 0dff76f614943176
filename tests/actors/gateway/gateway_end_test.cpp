// The end of a gateway: what its actors have said last still waits for the store, and leads back to
// them.
#include "tests/support/actor_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/holding_store.hpp"
#include "tests/support/reads.hpp"
#include "tests/support/results.hpp"

#include <atomic>

using namespace troupe;
using namespace troupe::testing;

TEST_CASE("a gateway that ends lets go of an agent that takes long to stop", "[actors][gateway]") {
  actor_bed bed{{.cancel_grace = std::chrono::milliseconds{1}}};
  bed.held->stops_at_once = false;
  bed.held->grace_min = std::chrono::hours{1};
  const auto made = bed.begin(an_objective({a_plan("p", {a_task("a", {}, "held")})}));
  REQUIRE(made);
  static_cast<void>(bed.held->port("a"));
  awaited<task_ptr> canceled;
  bed.main_gateway().cancel(cancel_task{{}, (*made)->plans[0].task_at(0), {}}, canceled.to());
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
  REQUIRE(comes_true([&] { return records.waiting() > 0; }));
  const auto before = records.waiting();
  create_objective second;
  second.spec = an_objective({a_plan("q", {a_task("c")})});
  second.spec.id = objective_id{"chosen"};
  std::atomic<int> answers{0};
  bed.main_gateway().create(std::move(second), nullptr, [&](const result<objective_ptr>& how) {
    answers += how.has_value() ? 1 : 100;
  });
  REQUIRE(comes_true([&] { return records.waiting() > before; }));
  bed.stop();
  CHECK(records.waiting() == 0);
  CHECK(answers == 1);
  CHECK(find_objective(records, objective_id{"chosen"}));
  CHECK(find_task(records, first)->status.state == task_state::completed);
  CHECK(bed.held->starts() == 1);
}
