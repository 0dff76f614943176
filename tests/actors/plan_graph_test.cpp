#include "actors/plan_graph.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"

using namespace troupe;
using tasks = std::vector<std::uint32_t>;

TEST_CASE("a chain sets free one task after the other", "[actors][plan_graph]") {
  plan_graph graph{3, {{0, 1}, {1, 2}}};
  CHECK(graph.start() == tasks{0});
  tasks released;
  graph.complete(0, released);
  CHECK(released == tasks{1});
  graph.complete(1, released);
  CHECK(released == tasks{1, 2});
  CHECK(graph.waiting() == 0);
}

TEST_CASE("a task with two dependencies waits for both, a double edge counts once", "[actors][plan_graph]") {
  plan_graph graph{3, {{0, 2}, {1, 2}, {0, 2}}};
  CHECK(graph.start() == tasks{0, 1});
  tasks released;
  graph.complete(0, released);
  CHECK(released.empty());
  graph.complete(1, released);
  CHECK(released == tasks{2});
}

TEST_CASE("what depends on an abandoned task is abandoned, once", "[actors][plan_graph]") {
  //  0 -> 1 -> 3
  //  2 ------> 3 -> 4
  plan_graph graph{5, {{0, 1}, {1, 3}, {2, 3}, {3, 4}}};
  (void)graph.start();
  auto lost = graph.abandon(0);
  std::sort(lost.begin(), lost.end());
  CHECK(lost == tasks{1, 3, 4});
  CHECK(graph.abandon(2).empty());
  tasks released;
  graph.complete(2, released);
  CHECK(released.empty());
  CHECK(graph.waiting() == 0);
}

TEST_CASE("a task that waits for another plan is free when both sides are done", "[actors][plan_graph]") {
  const tasks externals{0, 1};
  plan_graph graph{2, {{0, 1}}, externals};
  CHECK(graph.start() == tasks{0});
  tasks released;
  graph.complete(0, released);
  CHECK(released.empty());
  CHECK(graph.external_done(1));
  CHECK(graph.waiting() == 0);
}

TEST_CASE("abandoning the rest leaves out what has begun", "[actors][plan_graph]") {
  plan_graph graph{3, {{0, 1}, {1, 2}}};
  (void)graph.start();
  CHECK(graph.abandon_rest() == tasks{1, 2});
  CHECK(graph.abandon_rest().empty());
}

TEST_CASE("an empty graph has nothing to start", "[actors][plan_graph]") {
  plan_graph graph{0, {}};
  CHECK(graph.start().empty());
  CHECK(graph.size() == 0);
}
