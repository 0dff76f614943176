// The JSON column asks the service without copies of what it was given.
#include "net/a2a/operation_columns.hpp"
#include "tests/support/actor_bed.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>

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
#endif
