#include "apps/draw/dry_run.hpp"
#include "tests/apps/run_bed.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>

using namespace troupe;
using namespace troupe::testing;

TEST_CASE("a dry run says what would begin when, and after what", "[apps][draw]") {
  auto compile = task_named("compile");
  compile.agent = "command";
  compile.input = boost::json::parse(R"({"argv": ["cc", "-c", "a.c"]})").as_object();
  auto link = task_named("link", {"compile"});
  link.agent = "command";
  link.input = boost::json::parse(R"({"shell": "ld *.o"})").as_object();
  objective_spec objective;
  objective.plans = {plan_named("Build", {compile, link, task_named("docs")}),
                     plan_named("Ship", {task_named("send")}, {"Build"})};
  const auto edges = resolve_dependencies(objective.plans);
  REQUIRE(edges.has_value());
  CHECK(draw_dry_run(objective, *edges, agent_registry{})
        == "step 1: 2 tasks\n"
           "  Build / compile [command] cc -c a.c\n"
           "  Build / docs [echo]\n"
           "step 2: 1 task\n"
           "  Build / link [command] ld *.o, after Build / compile\n"
           "step 3: 1 task\n"
           "  Ship / send [echo], after plan Build\n");
}
