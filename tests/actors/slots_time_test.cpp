// Slots on the turned clock: who gets one when, and who gives one back while nothing of it runs.
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/specs.hpp"

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::testing;

namespace {

using lines = std::vector<std::string>;

task_spec retried(const std::string& name) {
  auto out = a_task(name, {}, "hand");
  out.retry = {.attempts_max = 2, .backoff = 10s};
  return out;
}

/// Asks, keeps nothing running meanwhile, and ends with the answer.
struct asking_agent final : agent {
  explicit asking_agent(std::uint32_t limit) : limit_(limit) {}
  start_result start(const order_ptr& order, const agent_port_ptr&) override {
    started.push_back(order->name + " #" + std::to_string(order->attempt));
    if (order->messages.empty())
      return report_question{"which?", false};
    return report_completed{};
  }
  [[nodiscard]] std::uint32_t parallel_max() const override { return limit_; }
  std::vector<std::string> started;

private:
  std::uint32_t limit_;
};

/// An objective of one plan in which one task may run at a time, by one of the three limits.
objective_spec one_at_a_time(clock_bed& bed, plan_spec plan, std::string_view by) {
  auto objective = an_objective({});
  if (by == "plan")
    plan.parallel_max = 1;
  else if (by == "objective")
    objective.parallel_max = 1;
  else
    bed.hand->limit = 1;
  objective.plans.push_back(std::make_shared<const plan_spec>(std::move(plan)));
  return objective;
}

} // namespace

TEST_CASE("ready tasks start in the order of the document, in any order of the actors' turns",
          "[actors][time][slots]") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    INFO("seed " << seed);
    clock_bed bed{{}, seed};
    bed.hand->limit = 1;
    std::vector<task_spec> tasks;
    for (int i = 0; i < 8; ++i)
      tasks.push_back(a_task("t" + std::to_string(i), {}, "hand"));
    auto objective = an_objective({a_plan("p", tasks)});
    objective.parallel_max = seed % 2 == 0 ? 0 : 1;
    bed.begin(std::move(objective));
    lines order;
    for (std::size_t i = 0; i < 8; ++i) {
      REQUIRE(bed.hand->attempts.size() == i + 1);
      order.push_back(bed.hand->attempts[i]->name);
      bed.report(order.back(), report_completed{});
    }
    CHECK(order == lines{"t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"});
  }
}

TEST_CASE(
    "a task holds no slot during its backoff, and goes before those that have not begun afterwards",
    "[actors][time][slots]") {
  const auto by = GENERATE(values<std::string_view>({"plan", "objective", "agent"}));
  CAPTURE(by);
  clock_bed bed;
  bed.begin(one_at_a_time(
      bed, going_on(a_plan("p", {retried("a"), a_task("b", {}, "hand"), a_task("c", {}, "hand")})),
      by));
  bed.report("a", report_failed{"no", true});
  CHECK(bed.states() == "working working pending");
  bed.pass(11s);
  CHECK(bed.hand->of("a").number == 1); // its wait is over, its turn has not come
  CHECK(phase_of(*bed.task("a")) == task_phase::slot);
  bed.report("b", report_completed{});
  CHECK(bed.hand->of("a").number == 2);
  CHECK(phase_of(*bed.task("a")) == task_phase::running);
  CHECK(bed.states() == "working completed pending");
  bed.report("a", report_completed{});
  bed.report("c", report_completed{});
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("two commands that fail do not keep a third waiting", "[actors][time][slots]") {
  clock_bed bed;
  bed.hand->limit = 2;
  bed.begin(
      an_objective({going_on(a_plan("p", {retried("a"), retried("b"), a_task("c", {}, "hand")}))}));
  bed.report("a", report_failed{"no", true});
  bed.report("b", report_failed{"no", true});
  CHECK(bed.hand->of("c").at == 0s);
}

TEST_CASE(
    "a task that asks and keeps nothing running holds no slot, and goes first once it is answered",
    "[actors][time][slots]") {
  const auto by = GENERATE(values<std::string_view>({"plan", "objective", "agent"}));
  CAPTURE(by);
  clock_bed bed;
  const auto asking = std::make_shared<asking_agent>(by == "agent" ? 1 : 0);
  bed.agents.add("asking", asking);
  auto plan =
      a_plan("p", {a_task("a", {}, "asking"), a_task("b", {}, by == "agent" ? "asking" : "hand"),
                   a_task("c", {}, "hand")});
  bed.begin(one_at_a_time(bed, plan, by));
  if (by == "agent") {
    CHECK(bed.states() == "input-required input-required working");
    bed.say("b", "yes");
    CHECK(asking->started == lines{"a #1", "b #1", "b #1"});
  } else {
    CHECK(bed.states() == "input-required working pending");
    CHECK(bed.objective()->state == objective_state::working);
    bed.say("a", "yes");
    CHECK(bed.states() == "working working pending");
    CHECK(phase_of(*bed.task("a")) == task_phase::slot);
    CHECK(asking->started == lines{"a #1"});
    bed.report("b", report_completed{});
    CHECK(asking->started == lines{"a #1", "a #1"});
    CHECK(bed.states() == "completed completed working");
  }
}

TEST_CASE("an objective is blocked once all that is left of it waits for answers and holds no slot",
          "[actors][time][slots]") {
  clock_bed bed;
  bed.agents.add("asking", std::make_shared<asking_agent>(0));
  auto objective =
      an_objective({a_plan("p", {a_task("a", {}, "asking"), a_task("b", {}, "asking")})});
  objective.parallel_max = 1;
  bed.begin(std::move(objective));
  CHECK(bed.states() == "input-required input-required");
  CHECK(bed.objective()->state == objective_state::blocked);
  bed.say("a", "x");
  CHECK(bed.states() == "completed input-required");
  CHECK(bed.objective()->state == objective_state::blocked);
  bed.say("b", "x");
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE(
    "a plan is blocked while an answered task waits for room that only tasks with questions take",
    "[actors][time][slots]") {
  clock_bed bed;
  bed.agents.add("asking", std::make_shared<asking_agent>(0));
  bed.begin(one_at_a_time(bed, a_plan("p", {a_task("a", {}, "asking"), a_task("b", {}, "hand")}),
                          "plan"));
  bed.say("a", "yes");
  CHECK(bed.objective()->plans[0].state == plan_state::working);
  bed.report("b", report_question{"which?", false});
  CHECK(phase_of(*bed.task("a")) == task_phase::slot);
  CHECK(bed.objective()->plans[0].state == plan_state::blocked);
  CHECK(bed.objective()->state == objective_state::blocked);
  bed.say("b", "this");
  CHECK(bed.objective()->plans[0].state == plan_state::working);
  bed.report("b", report_completed{});
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("a task that waits for its slot again gives up its place when it is canceled",
          "[actors][time][slots]") {
  const auto by = GENERATE(values<std::string_view>({"plan", "objective", "agent"}));
  CAPTURE(by);
  clock_bed bed;
  bed.begin(one_at_a_time(
      bed, going_on(a_plan("p", {retried("a"), a_task("b", {}, "hand"), a_task("c", {}, "hand")})),
      by));
  bed.report("a", report_failed{"no", true});
  bed.pass(11s);
  const auto answered = bed.cancel("a");
  CHECK(bed.states() == "canceled working pending");
  bed.report("b", report_completed{});
  CHECK(bed.states() == "canceled completed working");
  bed.report("c", report_completed{});
  CHECK(bed.objective()->state == objective_state::failed);
  CHECK(bed.hand->running() == 0);
}

TEST_CASE("a canceled task keeps its slots until its agent has stopped", "[actors][time][slots]") {
  const auto by = GENERATE(values<std::string_view>({"plan", "objective", "agent"}));
  CAPTURE(by);
  clock_bed bed{{.cancel_grace = 5s}, {}};
  bed.hand->stops_at_once = false;
  bed.begin(one_at_a_time(
      bed, going_on(a_plan("p", {a_task("a", {}, "hand"), a_task("b", {}, "hand")})), by));
  const auto answered = bed.cancel("a");
  CHECK(bed.states() == "canceled pending");
  CHECK(bed.hand->running() == 1);
  SECTION("it says so") {
    bed.report("a", report_completed{});
  }
  SECTION("its grace is over") {
    bed.pass(6s);
  }
  CHECK(bed.states() == "canceled working");
  CHECK(bed.hand->running() == 1);
  bed.report("b", report_completed{});
  CHECK(bed.objective()->state == objective_state::failed);
}

TEST_CASE("a gateway on a turned clock ends while the agent of a canceled task has yet to stop",
          "[actors][time][slots]") {
  auto agent = [] {
    clock_bed bed{{.cancel_grace = 5s}, {}};
    bed.hand->stops_at_once = false;
    bed.begin(one_at_a_time(bed, going_on(a_plan("p", {a_task("a", {}, "hand")})), "plan"));
    static_cast<void>(bed.cancel("a"));
    CHECK(bed.states() == "canceled");
    CHECK(bed.hand->running() == 1);
    return bed.hand;
  }(); // No time passes.
  CHECK(agent->running() == 0);
}

TEST_CASE("slots are found again after a restart during a backoff", "[actors][time][slots]") {
  const auto by = GENERATE(values<std::string_view>({"plan", "objective", "agent"}));
  CAPTURE(by);
  clock_bed bed;
  bed.begin(one_at_a_time(bed, going_on(a_plan("p", {retried("a"), a_task("b", {}, "hand")})), by));
  bed.report("a", report_failed{"no", true});
  bed.restart();
  CHECK(bed.hand->running() == 1);
  bed.report("b", report_completed{});
  bed.pass(11s);
  CHECK(bed.hand->of("a").number == 2);
  bed.report("a", report_completed{});
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("canceled at any moment, tasks that ask and fail give all their slots back",
          "[actors][time][slots][orders]") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    INFO("seed " << seed);
    clock_bed bed{{.cancel_grace = 5s}, seed};
    bed.hand->limit = 2;
    const auto asking = std::make_shared<asking_agent>(1);
    bed.agents.add("asking", asking);
    std::vector<task_spec> tasks;
    for (int i = 0; i < 4; ++i) {
      tasks.push_back(a_task("ask" + std::to_string(i), {}, "asking"));
      tasks.push_back(retried("fail" + std::to_string(i)));
    }
    auto plan = going_on(a_plan("p", std::move(tasks)));
    plan.parallel_max = 3;
    auto objective = an_objective({plan});
    objective.parallel_max = 2;
    bed.begin(objective);
    for (std::uint64_t i = 0; i < seed % 7; ++i) {
      if (!bed.hand->attempts.empty() && !bed.hand->attempts.back()->over)
        bed.report(bed.hand->attempts.back()->name, report_failed{"no", true});
      bed.pass(std::chrono::seconds{seed % 6});
    }
    for (std::uint64_t i = 0; i < seed % 23; ++i)
      (void)bed.clock.step();
    bed.move(objective_state::canceled);
    bed.pass(1min);
    REQUIRE(bed.objective()->state == objective_state::canceled);
    bed.seen = std::make_shared<story>(bed.clock.now());
    bed.begin(an_objective({a_plan(
        "next", {a_task("x", {}, "hand"), a_task("y", {}, "hand"), a_task("z", {}, "asking")})}));
    REQUIRE(bed.hand->running() == 2);
    REQUIRE(bed.states() == "working working input-required");
  }
}
