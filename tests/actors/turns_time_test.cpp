// Who may run when: the bounds on what runs at once, fairness between objectives, and what a
// failure means for the others. In one order of the actors' turns where the order is what is
// tested, in many where it must not matter.
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/reads.hpp"
#include "tests/support/specs.hpp"

#include <array>
#include <numeric>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::testing;

namespace {

using lines = std::vector<std::string>;

plan_spec many(const std::string& name, int count, const std::string& agent) {
  std::vector<task_spec> tasks;
  for (int i = 0; i < count; ++i)
    tasks.push_back(a_task(name + std::to_string(i), {}, agent));
  return a_plan(name, std::move(tasks));
}

/// Counts tasks that have ended.
struct counter final : watcher {
  void on_change(const change_ptr& change) override {
    for (const auto& one : change->events)
      if (const auto* moved = std::get_if<task_moved>(&one); moved && is_terminal(moved->to))
        ++ended;
  }
  int ended = 0;
};

/// Notes how far the other is when it is over itself.
struct finish_line final : watcher {
  explicit finish_line(const counter& of) : other(of) {}
  void on_change(const change_ptr& change) override {
    for (const auto& one : change->events)
      if (const auto* moved = std::get_if<objective_moved>(&one);
          moved && moved->to() == objective_state::completed)
        other_ended = other.ended;
  }
  const counter& other;
  int other_ended = -1;
};

void submit(clock_bed& bed, plan_spec plan, const watcher_ptr& follow) {
  create_objective command;
  command.spec = an_objective({std::move(plan)});
  command.start = true;
  bed.main_gateway().create(std::move(command), follow, [](const result<objective_ptr>&) {});
}

} // namespace

TEST_CASE("no more tasks run at once than allowed, and no fewer", "[actors][time]") {
  clock_bed bed;
  auto plan = many("t", 6, "hand");
  auto objective = an_objective({});
  SECTION("per plan") {
    plan.parallel_max = 2;
  }
  SECTION("per objective") {
    objective.parallel_max = 2;
  }
  SECTION("per agent") {
    bed.hand->limit = 2;
  }
  objective.plans.push_back(std::make_shared<const plan_spec>(plan));
  bed.begin(objective);
  for (std::size_t done = 0; done < 6; ++done) {
    CHECK(bed.hand->running() == std::min<std::size_t>(2, 6 - done));
    bed.report(bed.hand->attempts[done]->name, report_completed{});
  }
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("an objective gets as many tasks at once as it asks for and the gateway allows",
          "[actors][time]") {
  struct row {
    std::uint32_t allowed, asked, running;
  };
  for (const auto& one : {row{0, 0, 6}, row{0, 3, 3}, row{2, 0, 2}, row{2, 3, 2}, row{3, 2, 2}}) {
    CAPTURE(one.allowed, one.asked);
    clock_bed bed{{.parallel_max = one.allowed}};
    auto objective = an_objective({many("t", 6, "hand")});
    objective.parallel_max = one.asked;
    bed.begin(objective);
    CHECK(bed.hand->running() == one.running);
  }
}

TEST_CASE("a plan of ten thousand tasks does not starve a plan of three", "[actors][time]") {
  clock_bed bed;
  const auto wide = std::make_shared<counter>();
  const auto narrow = std::make_shared<finish_line>(*wide);
  submit(bed, many("wide", 10'000, "noop"), wide);
  while (wide->ended == 0)
    REQUIRE(bed.clock.step());
  submit(bed, a_plan("narrow", {a_task("x"), a_task("y", {"x"}), a_task("z", {"y"})}), narrow);
  bed.clock.settle();
  CHECK(wide->ended == 10'000);
  CHECK(narrow->other_ended >= 0);
  CHECK(narrow->other_ended < 5'000);
}

TEST_CASE("objectives take turns at an agent with few places", "[actors][time]") {
  clock_bed bed;
  bed.hand->limit = 1;
  submit(bed, many("wide", 10'000, "hand"), nullptr);
  bed.clock.settle();
  submit(bed, many("narrow", 3, "hand"), nullptr);
  bed.clock.settle();
  for (std::size_t i = 0; i < 7; ++i)
    bed.report(bed.hand->attempts[i]->name, report_completed{});
  lines order;
  for (const auto& one : bed.hand->attempts)
    order.push_back(one->name);
  // Who is next was in the queue before the narrow one came.
  CHECK(order
        == lines{"wide0", "wide1", "narrow0", "wide2", "narrow1", "wide3", "narrow2", "wide4"});
}

TEST_CASE("failFast stops what runs and begins nothing more, continue finishes what does not "
          "depend on it",
          "[actors][time]") {
  clock_bed bed;
  auto plan = a_plan("p", {a_task("a", {}, "hand"), a_task("b", {"a"}, "hand"),
                           a_task("c", {}, "hand"), a_task("d", {"c"}, "hand")});
  SECTION("failFast") {
    bed.begin(an_objective({plan}));
    bed.pass(1s);
    bed.report("a", report_failed{"no", true});
    CHECK(bed.seen->lines == lines{"0 a working", "0 c working", "1 a failed", "1 c canceled"});
    CHECK(bed.states() == "failed canceled canceled canceled");
  }
  SECTION("continue") {
    bed.begin(an_objective({going_on(plan)}));
    bed.pass(1s);
    bed.report("a", report_failed{"no", true});
    CHECK(bed.states() == "failed canceled working pending");
    bed.pass(1s);
    bed.report("c", report_completed{});
    bed.pass(1s);
    bed.report("d", report_completed{});
    CHECK(bed.seen->lines
          == lines{"0 a working", "0 c working", "1 a failed", "2 c completed", "2 d working",
                   "3 d completed"});
    CHECK(bed.states() == "failed canceled completed completed");
  }
  CHECK(bed.hand->running() == 0);
  CHECK(bed.objective()->state == objective_state::failed);
}

TEST_CASE("alternatives are tried one after the other, and what comes after the plan waits for the "
          "one that completes",
          "[actors][time]") {
  clock_bed bed;
  auto first = a_plan("first", {a_task("a", {}, "hand")});
  first.alternatives = {"second", "third", "fourth"};
  auto last = a_plan("last", {a_task("e", {}, "hand")});
  last.dependencies = {"first"};
  bed.begin(an_objective({first, a_plan("third", {a_task("c", {}, "hand")}),
                          a_plan("second", {a_task("b", {}, "hand")}),
                          a_plan("fourth", {a_task("d", {}, "hand")}), last}));
  bed.pass(1s);
  bed.report("a", report_failed{"no", true});
  bed.pass(1s);
  bed.report("b", report_failed{"no", true});
  bed.pass(1s);
  bed.report("c", report_completed{});
  bed.pass(1s);
  bed.report("e", report_completed{});
  CHECK(bed.seen->lines
        == lines{"0 a working", "1 a failed", "1 b working", "2 b failed", "2 c working",
                 "3 c completed", "3 e working", "4 e completed"});
  CHECK(bed.objective()->plans[3].state == plan_state::skipped);
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("in any order of the actors' turns, dependencies hold and everything ends",
          "[actors][time][orders]") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    INFO("seed " << seed);
    clock_bed bed{{.parallel_max = 2}, seed};
    auto last = a_plan("q", {a_task("e", {"d"}), a_task("f", {"e", "x"})});
    bed.begin(an_objective({a_plan("p", {a_task("a"), a_task("b", {"a"}), a_task("c", {"a"}),
                                         a_task("d", {"b", "c"})}),
                            last, a_plan("r", {a_task("x")})}));
    const auto at = [&](const std::string& line) {
      return std::find(bed.seen->lines.begin(), bed.seen->lines.end(), line)
             - bed.seen->lines.begin();
    };
    constexpr std::array<std::array<const char*, 2>, 7> edges{
        {{"a", "b"}, {"a", "c"}, {"b", "d"}, {"c", "d"}, {"d", "e"}, {"e", "f"}, {"x", "f"}}};
    for (const auto& [before, after] : edges)
      CHECK(at("0 " + std::string{before} + " completed")
            < at("0 " + std::string{after} + " working"));
    REQUIRE(bed.seen->lines.size() == 14);
    REQUIRE(bed.objective()->state == objective_state::completed);
  }
}

TEST_CASE("canceled at any moment, an objective ends with all its tasks and gives its slots back",
          "[actors][time][orders]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    clock_bed bed{{.cancel_grace = 5s}, seed};
    bed.hand->limit = 2;
    bed.hand->stops_at_once = seed % 2 == 0;
    const auto seen = std::make_shared<counter>();
    auto flaky = a_task("flaky", {}, "boom");
    flaky.retry = {.attempts_max = 3, .backoff = 1s, .jitter = 0.5};
    auto plan = many("t", 4, "hand");
    plan.tasks.push_back(flaky);
    plan.tasks.push_back(a_task("after", {"t0", "flaky"}));
    create_objective command;
    command.spec = an_objective({plan, many("u", 3, "noop")});
    command.spec.id = objective_id{"one"};
    command.start = true;
    bed.main_gateway().create(std::move(command), seen, [](const result<objective_ptr>&) {});
    for (std::uint64_t i = 0; i < seed % 50 || !find_objective(bed.records(), objective_id{"one"});
         ++i)
      (void)bed.clock.step();
    update_objective cancel;
    cancel.id = objective_id{"one"};
    cancel.state = objective_state::canceled;
    bool answered = false;
    bed.main_gateway().update(
        cancel, [&](const result<objective_ptr>& how) { answered = how.has_value(); });
    bed.pass(1min);
    CHECK(answered);
    const auto end = find_objective(bed.records(), objective_id{"one"});
    REQUIRE(end->state == objective_state::canceled);
    for (const auto& of : end->plans)
      for (const auto& slot : of.tasks)
        CHECK((slot.state == task_state::unspecified || is_terminal(slot.state)));
    CHECK(bed.hand->running() == 0);
    bed.begin(an_objective({many("next", 2, "hand")}));
    REQUIRE(bed.hand->running() == 2);
  }
}
