// The JSON column asks the service without copies of what it was given.
#include "net/a2a/operation_columns.hpp"
#include "tests/support/actor_bed.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>

#include <string>
#include <vector>

using namespace troupe;
using namespace troupe::net;
using namespace troupe::testing;

// ThreadSanitizer does not see the fence of is_unshared, so there every changed value is copied.
#if !defined(__SANITIZE_THREAD__)
TEST_CASE("a plan is not copied on its way from the wire to its objective", "[net][operations]") {
  actor_bed bed;
  const service all(bed.main_gateway());
  auto command = opt::read_create_objective(boost::json::parse(
      R"({"name":"o","plans":[{"name":"p","tasks":[{"name":"a"},{"name":"b","dependencies":["a"]}]}]})"));
  REQUIRE(command.has_value());
  const auto* plan = command->spec.plans[0].get();
  awaited<objective_ptr> made;
  json_column<operation::create_objective>::ask(all, *command, made.to());
  const auto objective = made.get();
  REQUIRE(objective.has_value());
  CHECK((*objective)->plans[0].spec.get() == plan);
}

TEST_CASE("of 1,200 plans that are added one by one none is copied, nor its tasks",
          "[net][operations]") {
  actor_bed bed;
  const service all(bed.main_gateway());
  auto first = opt::read_create_objective(
      boost::json::parse(R"({"id":"o","name":"o","plans":[{"name":"p","tasks":[{"name":"a"}]}]})"));
  REQUIRE(first.has_value());
  awaited<objective_ptr> made;
  json_column<operation::create_objective>::ask(all, *first, made.to());
  REQUIRE(made.get().has_value());
  std::vector<const task_spec*> tasks;
  objective_ptr now;
  for (int i = 0; i < 1'200; ++i) {
    auto command = opt::read_create_plan(boost::json::parse(
        R"({"objectiveId":"o","name":"p)" + std::to_string(i) + R"(","tasks":[{"name":"a"}]})"));
    REQUIRE(command.has_value());
    tasks.push_back(&command->spec.tasks[0]);
    awaited<placed_plan> added;
    json_column<operation::create_plan>::ask(all, *command, added.to());
    const auto plan = added.get();
    REQUIRE(plan.has_value());
    now = plan->objective;
  }
  REQUIRE(now->plans.size() == 1'201);
  for (std::size_t i = 0; i < tasks.size(); ++i)
    CHECK(&now->plans[i + 1].spec->tasks[0] == tasks[i]);
}
#endif
