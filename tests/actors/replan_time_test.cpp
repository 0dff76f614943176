// What happens to an objective while it is planned anew, on the manual clock: the pause, a cancel,
// a planner that hangs, a restart. Over the wire: tests/net/a2a/replan_test.cpp.
#include "actors/planning/planning_desk.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/specs.hpp"
#include <troupe/actors/limits.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

/// Says nothing until the test does.
class silent_planner final : public text_planner {
public:
  planner_start plan(const planning_order_ptr& order, const planner_port_ptr& port) override {
    orders.push_back(order);
    ports.push_back(port);
    return std::make_unique<planner_run>();
  }
  void change() { ports.back()->report(report_replan{{skip_plan<std::string>{"q"}}}); }

  std::vector<planning_order_ptr> orders;
  std::vector<planner_port_ptr> ports;
};

executor_options with(const std::shared_ptr<silent_planner>& own) {
  executor_options out;
  out.planning.planner = own;
  return out;
}

using replanned = std::shared_ptr<std::optional<result<replan_report>>>;

/// `a` runs and `b` comes after it, in p; q comes after p.
struct replan_bed : clock_bed {
  explicit replan_bed(const std::shared_ptr<silent_planner>& own) : clock_bed(with(own)) {
    auto second = a_plan("q", {a_task("c", {}, "hand")});
    second.dependencies = {"p"};
    begin(an_objective(
        {a_plan("p", {a_task("a", {}, "hand"), a_task("b", {"a"}, "hand")}), std::move(second)}));
  }
  replanned replan(bool dry_run = false) {
    const auto out = std::make_shared<std::optional<result<replan_report>>>();
    replan_objective command;
    command.id = objective()->id;
    command.text = "Go on otherwise";
    command.dry_run = dry_run;
    main_gateway().replan(std::move(command),
                          [out](result<replan_report> done) { *out = std::move(done); });
    clock.settle();
    return out;
  }
  [[nodiscard]] static errc code_of(const replanned& of) {
    return !*of ? errc::none : (*of)->has_error() ? (*of)->error().code : errc::none;
  }
};

} // namespace

TEST_CASE("U2_replan: nothing begins while the planner thinks, and it is told what was made",
          "[actors][replan]") {
  const auto own = std::make_shared<silent_planner>();
  replan_bed bed(own);
  bed.report("a", report_completed{{text_artifact("map", "north")}, {}});
  CHECK(bed.states() == "completed working");
  bed.report("b", report_failed{"no road", false});
  bed.move(objective_state::planning);
  bed.move_plan(0, plan_state::working);
  const auto done = bed.replan();
  CHECK_FALSE(*done);
  CHECK(bed.objective()->paused);
  CHECK(bed.objective()->planner_pause.has_value());
  REQUIRE(own->orders.size() == 1);
  const auto& order = *own->orders[0];
  CHECK(order.text == "Go on otherwise");
  REQUIRE(order.so_far);
  CHECK(order.so_far->view->id == bed.objective()->id);
  REQUIRE(order.so_far->outcomes.size() == 1);
  CHECK(order.so_far->outcomes[0].name == "a");
  CHECK(text_of(order.so_far->outcomes[0].artifacts.at(0)->parts) == "north");
  own->change();
  bed.clock.settle();
  REQUIRE(*done);
  REQUIRE(done->value().has_value());
  CHECK(done->value()->change.plans_skipped.size() == 1);
  CHECK_FALSE(bed.objective()->paused);
  CHECK_FALSE(bed.objective()->planner_pause.has_value());
}

TEST_CASE("U2_replan: after a dry run, a failure or no answer in time the objective goes on",
          "[actors][replan]") {
  const auto own = std::make_shared<silent_planner>();
  replan_bed bed(own);
  const auto revision = bed.objective()->revision;
  SECTION("a dry run") {
    const auto done = bed.replan(true);
    CHECK(bed.objective()->paused);
    own->change();
    bed.clock.settle();
    REQUIRE(*done);
    CHECK(done->value().value().change.dry_run);
    CHECK(done->value().value().operations.size() == 1);
  }
  SECTION("a failure") {
    const auto done = bed.replan();
    own->ports[0]->report(report_no_plan{"no idea"});
    bed.clock.settle();
    CHECK(bed.code_of(done) == errc::planner_failed);
  }
  SECTION("no answer in time") {
    const auto done = bed.replan();
    bed.report("a", report_completed{});
    CHECK(bed.states() == "completed pending");
    bed.clock.advance(61s);
    CHECK(bed.code_of(done) == errc::planner_failed);
    CHECK_THAT((*done)->error().message, Contains("has not answered within 60 s"));
    CHECK(bed.states() == "completed working");
    own->change(); // too late
    bed.clock.settle();
  }
  CHECK(bed.objective()->state == objective_state::working);
  CHECK_FALSE(bed.objective()->paused);
  CHECK(bed.objective()->revision == revision);
  CHECK(bed.objective()->plans[1].state == plan_state::pending);
}

TEST_CASE("U2_replan: a cancel is not held up by the planner", "[actors][replan]") {
  const auto own = std::make_shared<silent_planner>();
  replan_bed bed(own);
  const auto done = bed.replan();
  bed.move(objective_state::canceled);
  CHECK(bed.objective()->state == objective_state::canceled);
  CHECK(bed.code_of(done) == errc::invalid_transition);
  CHECK_THAT((*done)->error().message, Contains("has ended"));
  own->change();
  bed.clock.settle();
  CHECK(bed.objective()->state == objective_state::canceled);
}

TEST_CASE("U2_replan: a restart while the planner thinks ends the pause, and changes nothing",
          "[actors][replan]") {
  const auto own = std::make_shared<silent_planner>();
  replan_bed bed(own);
  const auto revision = bed.objective()->revision;
  static_cast<void>(bed.replan());
  CHECK(bed.objective()->paused);
  bed.restart();
  CHECK_FALSE(bed.objective()->paused);
  CHECK(bed.objective()->state == objective_state::working);
  CHECK(bed.objective()->revision == revision);
  bed.report("a", report_completed{});
  CHECK(bed.states() == "completed working");
}

TEST_CASE("U2_replan: a pause by request is not ended by the planner's", "[actors][replan]") {
  const auto own = std::make_shared<silent_planner>();
  replan_bed bed(own);
  SECTION("before it") {
    bed.move(objective_state::blocked);
    const auto done = bed.replan();
    CHECK_FALSE(bed.objective()->planner_pause.has_value());
    own->change();
    bed.clock.settle();
    REQUIRE(*done);
    CHECK(done->value().has_value());
  }
  SECTION("while the planner thinks") {
    const auto done = bed.replan();
    bed.move(objective_state::blocked);
    own->change();
    bed.clock.settle();
    REQUIRE(*done);
    CHECK(done->value().has_value());
  }
  CHECK(bed.objective()->paused);
  bed.restart();
  CHECK(bed.objective()->paused);
}

TEST_CASE("U2_replan: a plan that was paused by itself stays paused", "[actors][replan]") {
  const auto own = std::make_shared<silent_planner>();
  replan_bed bed(own);
  bed.move_plan(0, plan_state::blocked);
  SECTION("after the planner's pause") {
    static_cast<void>(bed.replan());
    own->ports[0]->report(report_no_plan{"no idea"});
    bed.clock.settle();
  }
  SECTION("after a restart in it") {
    static_cast<void>(bed.replan());
    bed.restart();
  }
  CHECK_FALSE(bed.objective()->paused);
  CHECK(bed.objective()->plans[0].paused);
  bed.report("a", report_completed{});
  CHECK(bed.states() == "completed pending");
  bed.move_plan(0, plan_state::working);
  CHECK(bed.states() == "completed working");
}

TEST_CASE("U2_replan: an objective is planned anew once at a time, and so many at once",
          "[actors][replan]") {
  const auto own = std::make_shared<silent_planner>();
  replan_bed bed(own);
  const auto first = bed.replan();
  CHECK(bed.code_of(bed.replan()) == errc::invalid_transition);
  std::vector<replan_ticket> others;
  for (std::size_t i = 1; i < replans_under_way_max; ++i)
    others.push_back(bed.main_gateway().planning().enter_replan());
  CHECK(others.back() != nullptr);
  CHECK(bed.code_of(bed.replan()) == errc::overloaded);
  others.pop_back();
  CHECK(bed.code_of(bed.replan()) == errc::invalid_transition);
  own->change();
  bed.clock.settle();
  REQUIRE(*first);
  CHECK((*first)->has_value());
}
