// Agents that only wait, on a clock turned by hand.
#include "agents/builtin/sleep.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/specs.hpp"

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::testing;

namespace {

using lines = std::vector<std::string>;

task_spec sleeping(std::string name, double seconds) {
  auto out = a_task(std::move(name), {}, "sleep");
  out.input["seconds"] = seconds;
  return out;
}

} // namespace

TEST_CASE("a sleep takes its seconds times the time scale", "[agents][time]") {
  const auto run = [](double scale) {
    clock_bed bed{{.time_scale = scale}};
    bed.agents.add("sleep", std::make_shared<sleep_agent>());
    bed.begin(
        an_objective({a_plan("p", {sleeping("a", 60), sleeping("b", 0.5), sleeping("c", 0)})}));
    bed.pass(10min);
    return bed.seen->lines;
  };
  CHECK(run(1.0)
        == lines{"0 a working", "0 b working", "0 c working", "0 c completed", "0.5 b completed",
                 "60 a completed"});
  CHECK(run(0.1)
        == lines{"0 a working", "0 b working", "0 c working", "0 c completed", "0.05 b completed",
                 "6 a completed"});
  CHECK(run(0.0)
        == lines{"0 a working", "0 a completed", "0 b working", "0 b completed", "0 c working",
                 "0 c completed"});
}

TEST_CASE("a sleep that is canceled or out of time ends then", "[agents][time]") {
  clock_bed bed;
  bed.agents.add("sleep", std::make_shared<sleep_agent>());
  auto timed = sleeping("timed", 60);
  timed.timeout = 2s;
  bed.begin(an_objective({going_on(a_plan("p", {timed, sleeping("other", 60)}))}));
  bed.pass(1s);
  (void)bed.cancel("other");
  bed.pass(10min);
  CHECK(bed.seen->lines
        == lines{"0 timed working", "0 other working", "1 other canceled", "2 timed failed"});
}
