#include "apps/draw/critical_path.hpp"
#include "apps/run/run_timing.hpp"
#include "tests/apps/run_bed.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::testing;
using std::chrono::milliseconds;

namespace {

std::int64_t tasks_on_path(const std::vector<plan_spec_ptr>& plans) {
  const auto edges = resolve_dependencies(plans);
  REQUIRE(edges.has_value());
  return critical_path_tasks(plans, *edges);
}

} // namespace

TEST_CASE("a diamond's critical path is its longer side", "[apps][critical_path]") {
  run_bed bed({plan_named("p", {task_named("a"), task_named("b", {"a"}), task_named("c", {"a"}),
                                task_named("d", {"b", "c"})})});
  const auto run = [&](std::uint32_t task, int from, int to) {
    bed.move(from, 0, task, task_state::working);
    bed.move(to, 0, task, task_state::completed);
  };
  run(0, 0, 10);
  run(1, 10, 110);
  run(2, 12, 50);
  run(3, 115, 120);
  CHECK(measured_critical_path(bed.model) == milliseconds{10 + 100 + 5});
}

TEST_CASE("only completed attempts count, and of a retried task only the last",
          "[apps][critical_path]") {
  run_bed bed({plan_named("p", {task_named("a"), task_named("b")})});
  bed.move(0, 0, 0, task_state::working, 1);
  bed.move(500, 0, 0, task_state::working, 2);
  bed.move(520, 0, 0, task_state::completed, 2);
  bed.move(0, 0, 1, task_state::working, 1);
  bed.move(900, 0, 1, task_state::failed, 1);
  CHECK(measured_critical_path(bed.model) == milliseconds{20});
}

TEST_CASE("plans that wait for plans lengthen the path", "[apps][critical_path]") {
  CHECK(tasks_on_path({plan_named("one", {task_named("a"), task_named("b", {"a"})}),
                       plan_named("two", {task_named("c"), task_named("d")}, {"one"})})
        == 3);
  CHECK(tasks_on_path({plan_named("one", {task_named("a"), task_named("b", {"a"})}),
                       plan_named("two", {task_named("c")})})
        == 2);
  CHECK(tasks_on_path({}) == 0);
  CHECK(tasks_on_path({plan_named("empty", {})}) == 0);
}

TEST_CASE("an alternative comes after its primary plan, and is not counted before it runs",
          "[apps][critical_path]") {
  auto first = std::make_shared<plan_spec>(*plan_named("first", {task_named("a")}));
  first->alternatives = {"second"};
  const std::vector<plan_spec_ptr> plans{first, plan_named("second", {task_named("b")}),
                                         plan_named("last", {task_named("c")}, {"first"})};
  CHECK(tasks_on_path(plans) == 2);
  const auto edges = resolve_dependencies(plans);
  REQUIRE(edges.has_value());
  CHECK(critical_path(plans, *edges, [](auto, auto) { return 1; }) == 3);
}

TEST_CASE("layers follow the longest way in", "[apps][critical_path]") {
  const auto plan = plan_named(
      "p", {task_named("a"), task_named("b", {"a"}), task_named("c", {"a", "b"}), task_named("d")});
  const auto edges = resolve_dependencies({plan});
  REQUIRE(edges.has_value());
  CHECK(layers_of(*plan, edges->plans[0]) == std::vector<std::uint32_t>{0, 1, 2, 0});
}

TEST_CASE("a chain of 100,000 tasks has a path of 100,000", "[apps][critical_path]") {
  std::vector<task_spec> tasks;
  for (int i = 0; i < 100'000; ++i)
    tasks.push_back(i == 0 ? task_named("t0")
                           : task_named("t" + std::to_string(i), {"t" + std::to_string(i - 1)}));
  CHECK(tasks_on_path({plan_named("chain", std::move(tasks))}) == 100'000);
}
