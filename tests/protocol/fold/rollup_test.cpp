// Table P: how far plans and objectives are, and that the sums are what a fresh computation gives.
#include "protocol/fold/apply.hpp"
#include "protocol/fold/rollup.hpp"
#include "protocol/record/record.hpp"
#include "tests/store/changes.hpp"
#include "tests/support/catch.hpp"

#include <random>

using namespace troupe;
using namespace troupe::testing;

namespace {

progress_tracker tracker(std::string id, std::optional<double> progress,
                         std::optional<double> total) {
  progress_tracker out;
  out.id = std::move(id);
  out.progress = progress;
  out.total = total;
  return out;
}

progress_ptr reported(double progress, std::optional<double> total) {
  progress_report out;
  out.trackers.push_back(tracker("all", progress, total));
  return std::make_shared<const progress_report>(std::move(out));
}

/// An objective as its events come.
struct rolled_life {
  std::shared_ptr<objective_spec> spec;
  objective_view view;
  std::vector<change> past{};
  std::int64_t now = 1;

  /// `expected`: seconds of the tasks of the first plan; 0: not known.
  explicit rolled_life(std::initializer_list<std::size_t> plans,
                       const std::vector<int>& expected = {}, bool second_is_alternative = false)
      : spec(make_objective("o", plans)) {
    for (std::size_t t = 0; t < expected.size(); ++t)
      edit_plan(0).tasks.edit(t).expected = std::chrono::seconds{expected[t]};
    if (second_is_alternative)
      edit_plan(0).alternatives = {spec->plans[1]->name};
    take(about("o", ++now, objective_created{spec, {}}));
    take(about("o", ++now, objective_moved{objective_event::work, ""}));
  }

  plan_spec& edit_plan(std::size_t plan) { return const_cast<plan_spec&>(*spec->plans[plan]); }
  void take(change next) {
    apply(view, next);
    past.push_back(std::move(next));
  }
  template<class Event>
  void take_task(std::uint32_t plan, std::uint32_t task, Event fact) {
    change next = about("o", ++now, std::move(fact));
    next.task = {view.plans[plan].task_at(task), false, plan, task};
    take(std::move(next));
  }
  void move(std::uint32_t plan, std::uint32_t task, task_state to, std::uint32_t attempt = 1) {
    take_task(plan, task, moved(to, attempt));
  }
  void complete(std::uint32_t plan, std::uint32_t task) { move(plan, task, task_state::completed); }
  void say_progress(std::uint32_t plan, std::uint32_t task, double progress,
                    std::optional<double> total) {
    take_task(plan, task, task_progress{reported(progress, total)});
  }
  void move_plan(std::uint32_t plan, plan_event on) {
    take(about("o", ++now, plan_moved{plan, on, ""}));
  }
  void move_objective(objective_event on) { take(about("o", ++now, objective_moved{on, ""})); }
  void change_shape(std::vector<applied_operation> operations) {
    take(about("o", ++now, plan_changed{0, std::move(operations), "", "", view.revision + 1}));
  }
};

struct row {
  double done;
  double total;
  std::uint32_t fraction;
};

void check_row(const rolled_life& life, const row& expected) {
  const auto shown = progress_of(life.view);
  CHECK(shown.done == Approx(expected.done));
  CHECK(shown.total == Approx(expected.total));
  CHECK(shown.fraction == expected.fraction);
}

constexpr auto working = task_state::working;

} // namespace

TEST_CASE("P7_rollup: of four tasks one has completed", "[fold][rollup]") {
  rolled_life life{{4}};
  life.complete(0, 0);
  check_row(life, {1, 4, 250'000});
}

TEST_CASE("P7_rollup: what a task that works has said counts in part", "[fold][rollup]") {
  rolled_life life{{4}};
  life.complete(0, 0);
  life.move(0, 1, working);
  life.say_progress(0, 1, 50, 100);
  check_row(life, {1.5, 4, 375'000});
}

TEST_CASE("P7_rollup: progress without a total counts as none", "[fold][rollup]") {
  rolled_life life{{4}};
  life.complete(0, 0);
  life.move(0, 1, working);
  life.say_progress(0, 1, 50, std::nullopt);
  check_row(life, {1, 4, 250'000});
}

TEST_CASE("P7_rollup: a task that has not completed counts at most 0.99", "[fold][rollup]") {
  rolled_life life{{2}};
  life.move(0, 0, working);
  life.say_progress(0, 0, 100, 100);
  check_row(life, {0.99, 2, 495'000});
}

TEST_CASE("P7_rollup: tasks count by the time that they are expected to take", "[fold][rollup]") {
  rolled_life life{{3}, {10, 30, 60}};
  life.complete(0, 0);
  life.move(0, 1, working);
  life.say_progress(0, 1, 1, 2);
  check_row(life, {25, 100, 250'000});
}

TEST_CASE("P7_rollup: a task whose time is not known counts as the median", "[fold][rollup]") {
  rolled_life life{{3}, {10, 30, 0}};
  life.complete(0, 0);
  check_row(life, {10, 60, 166'666});
}

TEST_CASE("P7_rollup: a skipped task does not count", "[fold][rollup]") {
  rolled_life life{{4}};
  life.complete(0, 0);
  life.change_shape({skip_task<std::uint32_t>{1}});
  life.take(about("o", ++life.now, tasks_withdrawn{0, {1}, task_state::canceled, "skipped"}));
  check_row(life, {1, 3, 333'333});
}

TEST_CASE("P7_rollup: a failed task counts what it stood at", "[fold][rollup]") {
  rolled_life life{{4}};
  life.complete(0, 0);
  life.complete(0, 1);
  life.move(0, 2, working);
  life.move(0, 2, task_state::failed);
  check_row(life, {2, 4, 500'000});
  life.move(0, 3, working);
  life.say_progress(0, 3, 3, 4);
  life.move(0, 3, task_state::failed);
  check_row(life, {2.75, 4, 687'500});
}

TEST_CASE("P7_rollup: an alternative takes the place of the plan that failed", "[fold][rollup]") {
  rolled_life life{{2, 2}, {}, true};
  life.move_plan(0, plan_event::work);
  life.complete(0, 0);
  check_row(life, {1, 2, 500'000}); // the alternative has not begun
  life.move(0, 1, task_state::failed);
  life.move_plan(0, plan_event::fail);
  check_row(life, {1, 2, 500'000});
  life.move_plan(1, plan_event::work);
  check_row(life, {0, 2, 500'000}); // held, until there is a new revision
  life.take(about("o", ++life.now, objective_changed{{}, "", "", life.view.revision + 1}));
  life.move(1, 0, working);
  life.say_progress(1, 0, 5, 10);
  check_row(life, {0.5, 2, 250'000});
}

TEST_CASE("P7_rollup: a skipped plan does not count, and what has completed is whole",
          "[fold][rollup]") {
  rolled_life life{{2, 3}};
  life.move_plan(0, plan_event::work);
  life.complete(0, 0);
  life.complete(0, 1);
  life.move_plan(0, plan_event::complete);
  life.move_plan(1, plan_event::skip);
  CHECK(progress_of(life.view).fraction == 999'999); // only its end makes it whole
  CHECK(progress_of(life.view, 0).fraction == whole_fraction);
  life.move_objective(objective_event::complete);
  check_row(life, {2, 2, whole_fraction});
}

TEST_CASE("P7_rollup: tasks that are added may bring it down, with a new revision",
          "[fold][rollup]") {
  rolled_life life{{4}};
  for (std::uint32_t task = 0; task < 3; ++task)
    life.complete(0, task);
  check_row(life, {3, 4, 750'000});
  life.change_shape({add_task{}, add_task{}});
  check_row(life, {3, 6, 500'000});
}

TEST_CASE("P7_rollup: another attempt begins at nothing, and what was shown is held",
          "[fold][rollup]") {
  rolled_life life{{2}};
  life.move(0, 0, working);
  life.say_progress(0, 0, 8, 10);
  check_row(life, {0.8, 2, 400'000});
  life.move(0, 0, working, 2);
  check_row(life, {0, 2, 400'000});
  life.say_progress(0, 0, 9, 10);
  check_row(life, {0.9, 2, 450'000});
}

TEST_CASE("P7_rollup: without tasks there is no progress", "[fold][rollup]") {
  check_row(rolled_life{{}}, {0, 0, 0});
  check_row(rolled_life{{0}}, {0, 0, 0});
}

TEST_CASE("P7_rollup: a task is as far as its aggregate, or as the mean of its trackers",
          "[fold][rollup]") {
  progress_report said;
  CHECK(fraction_of(said) == 0);
  said.trackers = {tracker("a", 1, 2), tracker("b", 7, std::nullopt),
                   tracker("c", std::nullopt, 4)};
  CHECK(fraction_of(said) == 250'000);
  said.aggregate = progress_aggregate{3, std::nullopt, ""};
  CHECK(fraction_of(said) == 250'000);
  said.aggregate->total = 4;
  CHECK(fraction_of(said) == 750'000);
  said.aggregate->progress = 9; // it is advisory, and need not make sense
  CHECK(fraction_of(said) == 990'000);
  said.aggregate->progress = -9;
  CHECK(fraction_of(said) == 0);
  said.trackers = {tracker("a", 0, 0)};
  said.aggregate.reset();
  CHECK(fraction_of(said) == 0);
}

TEST_CASE(
    "P6_rate: the report has a tracker for each plan that runs, at most 20, and the aggregate",
    "[fold][rollup]") {
  rolled_life life{{2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}};
  for (std::uint32_t plan = 0; plan + 1 < life.view.plans.size(); ++plan)
    life.move_plan(plan, plan_event::work);
  life.complete(0, 0);
  const auto report = report_of(life.view);
  REQUIRE(validate(report).has_value());
  REQUIRE(report.trackers.size() == progress_trackers_max);
  CHECK(report.trackers[0].id == "o.p0");
  CHECK(report.trackers[0].progress == Approx(50));
  CHECK(report.trackers[0].total == Approx(100));
  REQUIRE(report.aggregate);
  CHECK(report.aggregate->progress == Approx(100.0 / 24).margin(0.001));
}

TEST_CASE("P7_rollup: in any life the sums are those of a fresh computation, nothing goes back "
          "within a revision, and a replay and the record give the same",
          "[fold][rollup][record]") {
  const auto seed = GENERATE(range(1U, 41U));
  CAPTURE(seed);
  std::mt19937 random{seed};
  const auto below = [&](std::uint32_t bound) {
    return static_cast<std::uint32_t>(random() % bound);
  };
  rolled_life life{{4, 3, 2, 0}, {10, 0, 3, 60}, below(2) == 0};
  auto shown = progress_of(life.view).fraction;
  auto revision = life.view.revision;
  for (int step = 0; step < 200; ++step) {
    const auto plan = below(4);
    const auto size = static_cast<std::uint32_t>(life.view.plans[plan].tasks.size());
    const auto task = size == 0 ? 0 : below(size);
    if (const auto kind = below(10); kind < 4 && size > 0) {
      const task_state states[] = {working, task_state::input_required, task_state::completed,
                                   task_state::failed, task_state::canceled};
      const auto& slot = life.view.plans[plan].tasks[task];
      if (!is_terminal(slot.state))
        life.move(plan, task, states[below(5)], slot.attempt + below(2));
    } else if (kind < 7 && size > 0) {
      if (life.view.plans[plan].tasks[task].state != task_state::unspecified)
        life.say_progress(plan, task, below(11), 10);
    } else if (kind == 7) {
      life.move_plan(plan, static_cast<plan_event>(below(plan_event_count)));
    } else if (kind == 8 && size > 0) {
      life.take(about("o", ++life.now, tasks_renewed{plan, {task}}));
    } else if (kind == 9) {
      task_spec added;
      added.expected = std::chrono::seconds{below(3) * 7};
      const auto first = below(static_cast<std::uint32_t>(life.view.plans[0].tasks.size()));
      std::vector<applied_operation> operations{add_task{added},
                                                put_task<std::uint32_t>{first, added}};
      if (below(2) == 0)
        operations.emplace_back(skip_task<std::uint32_t>{first});
      if (below(4) == 0)
        operations.emplace_back(remove_task<std::uint32_t>{first});
      life.change_shape(std::move(operations));
    }
    auto fresh = life.view;
    sum_up(fresh);
    CHECK(fresh.rollup.sums == life.view.rollup.sums);
    CHECK(fresh.rollup.median_ms == life.view.rollup.median_ms);
    CHECK(fresh.rollup.plans_blocked == life.view.rollup.plans_blocked);
    for (std::size_t p = 0; p < fresh.plans.size(); ++p) {
      CHECK(fresh.plans[p].rollup.sums == life.view.plans[p].rollup.sums);
      CHECK(fresh.plans[p].rollup.is_counted == life.view.plans[p].rollup.is_counted);
    }
    const auto now = progress_of(life.view).fraction;
    if (life.view.revision == revision)
      REQUIRE(now >= shown);
    REQUIRE(now < whole_fraction);
    shown = now;
    revision = life.view.revision;
  }
  objective_view replayed;
  for (const auto& each : life.past)
    apply(replayed, each);
  CHECK(progress_of(replayed).fraction == shown);
  CHECK(replayed.rollup.sums == life.view.rollup.sums);
  std::string row;
  record::write(row, life.view);
  const auto read = record::read_objective(row);
  REQUIRE(read.has_value());
  CHECK(progress_of(*read).fraction == shown);
  CHECK(read->rollup.sums == life.view.rollup.sums);
  for (std::uint32_t p = 0; p < 4; ++p)
    CHECK(progress_of(*read, p).fraction == progress_of(life.view, p).fraction);
}
