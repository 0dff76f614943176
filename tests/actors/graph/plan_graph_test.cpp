#include "actors/graph/plan_graph.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

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

TEST_CASE("a task with two dependencies waits for both, a double edge counts once",
          "[actors][plan_graph]") {
  plan_graph graph{3, {{0, 2}, {1, 2}, {0, 2}}};
  CHECK(graph.start() == tasks{0, 1});
  tasks released;
  graph.complete(0, released);
  CHECK(released.empty());
  graph.complete(1, released);
  CHECK(released == tasks{2});
}

TEST_CASE("tasks that depend on an abandoned task are abandoned, once", "[actors][plan_graph]") {
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

TEST_CASE("a task that waits for another plan is free when both sides are done",
          "[actors][plan_graph]") {
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

// -- changes while it goes on ---------------------------------------------------------------------

TEST_CASE("an added task waits for exactly its dependencies", "[actors][plan_graph]") {
  plan_graph graph{2, {{0, 1}}};
  CHECK(graph.start() == std::vector<std::uint32_t>{0});
  const auto alone = graph.add_task();
  CHECK(alone == 2);
  CHECK(graph.start_added(alone));
  CHECK_FALSE(graph.start_added(alone));
  const auto last = graph.add_task();
  CHECK(graph.add_edge({1, last}));
  CHECK_FALSE(graph.start_added(last));
  CHECK(graph.waiting() == 2);
  std::vector<std::uint32_t> released;
  graph.complete(0, released);
  graph.complete(1, released);
  CHECK(released == std::vector<std::uint32_t>{1, last});
  const auto outside = graph.add_task(1);
  CHECK_FALSE(graph.start_added(outside));
  CHECK(graph.external_done(outside));
}

TEST_CASE("a new dependency blocks a ready task, unless it points to a completed task",
          "[actors][plan_graph]") {
  plan_graph graph{4, {{0, 3}}};
  CHECK(graph.start() == std::vector<std::uint32_t>{0, 1, 2});
  std::vector<std::uint32_t> released;
  graph.complete(0, released);
  CHECK(released == std::vector<std::uint32_t>{3});
  CHECK_FALSE(graph.add_edge({0, 2}));
  CHECK(graph.waiting() == 0);
  CHECK(graph.add_edge({1, 2}));
  CHECK(graph.add_edge({1, 2})); // twice is once
  CHECK(graph.waiting() == 1);
  released.clear();
  graph.complete(1, released);
  CHECK(released == std::vector<std::uint32_t>{2});
}

TEST_CASE("removing its last dependency releases a task", "[actors][plan_graph]") {
  plan_graph graph{3, {{0, 2}, {1, 2}}};
  CHECK(graph.start() == std::vector<std::uint32_t>{0, 1});
  CHECK_FALSE(graph.remove_edge({0, 2}));
  CHECK_FALSE(graph.remove_edge({0, 2}));
  CHECK(graph.remove_edge({1, 2}));
  CHECK(graph.waiting() == 0);
  std::vector<std::uint32_t> released;
  graph.complete(0, released);
  graph.complete(1, released);
  CHECK(released.empty());
}

TEST_CASE("no task waits for a task that is removed", "[actors][plan_graph]") {
  plan_graph graph{4, {{0, 1}, {1, 2}, {1, 3}, {0, 3}}};
  CHECK(graph.start() == std::vector<std::uint32_t>{0});
  std::vector<std::uint32_t> released;
  const std::vector<std::uint32_t> dependencies{0};
  graph.remove_task(1, dependencies, released);
  CHECK(released == std::vector<std::uint32_t>{2});
  CHECK(graph.waiting() == 1);
  released.clear();
  graph.complete(0, released);
  CHECK(released == std::vector<std::uint32_t>{3});
}

TEST_CASE("a change of a large graph costs the edges that it touches", "[actors][plan_graph]") {
  constexpr std::uint32_t size = 100'000;
  std::vector<graph_edge> edges;
  for (std::uint32_t i = 0; i + 1 < size; ++i)
    edges.push_back({i, i + 1});
  plan_graph graph{size, edges};
  CHECK(graph.start().size() == 1);
  for (std::uint32_t i = 1; i <= 1'000; ++i) {
    const auto task = graph.add_task();
    graph.add_edge({i * 50, task});
    graph.add_edge({task, i * 50 + 1});
    static_cast<void>(graph.remove_edge({i * 50, i * 50 + 1}));
  }
  CHECK(graph.touched() <= 1'000 * 10);
  std::vector<std::uint32_t> order{0};
  for (std::size_t i = 0; i < order.size(); ++i)
    graph.complete(order[i], order);
  CHECK(order.size() == size + 1'000); // all of it, each once
}

TEST_CASE("edges that are removed from the last to the first cost one look each",
          "[actors][plan_graph]") {
  constexpr std::uint32_t size = 10'000;
  std::vector<graph_edge> edges;
  for (std::uint32_t i = 1; i < size; ++i)
    edges.push_back({0, i});
  plan_graph graph{size, edges};
  static_cast<void>(graph.start());
  const auto touched = graph.touched();
  for (std::uint32_t i = size - 1; i > 0; --i)
    CHECK(graph.remove_edge({0, i}));
  CHECK(graph.touched() - touched <= 4 * size);
}
