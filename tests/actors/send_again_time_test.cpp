// The same message again, and the same task again: on the clock that a test turns, and more often
// than a small number holds.
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/specs.hpp"

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::testing;

namespace {

task_id send_again(clock_bed& bed) {
  send_message command;
  command.message.message_id = "m";
  command.message.from = role::user;
  command.message.parts.push_back(text_part("x"));
  std::optional<result<sent>> answer;
  bed.main_gateway().send(std::move(command), nullptr,
                          [&answer](result<sent> got) { answer = std::move(got); });
  bed.clock.settle();
  return answer.value().value().task;
}

} // namespace

TEST_CASE("the gateway forgets a message after the time on its own clock",
          "[actors][dedup][time]") {
  clock_bed bed{{.deduplicate_seconds = 10}};
  const auto first = send_again(bed);
  bed.pass(9s);
  CHECK(send_again(bed) == first);
  bed.pass(1s);
  CHECK(send_again(bed) != first);
}

TEST_CASE("a task that was tried again 65,536 times is still another one each time",
          "[actors][time]") {
  clock_bed bed;
  const auto id = bed.begin(an_objective({a_plan("p", {a_task("a", {}, "boom")})}));
  REQUIRE(bed.objective()->state == objective_state::failed);
  change often;
  often.context = id.str();
  often.events.assign(65'535, tasks_renewed{0, {0}});
  often.events.emplace_back(plan_moved{0, plan_event::retry, ""});
  often.events.emplace_back(objective_moved{objective_event::reopen, ""});
  often.events.emplace_back(objective_moved{objective_event::work, ""});
  bed.records().commit(std::move(often));
  bed.restart();
  CHECK(bed.task("a")->id.str() == id.str() + ".p0.t0.r65535");
  REQUIRE(bed.objective()->state == objective_state::failed);
  bed.move(objective_state::submitted);
  bed.move(objective_state::working);
  CHECK(bed.task("a")->id.str() == id.str() + ".p0.t0.r65536");
  CHECK(bed.task("a")->status.state == task_state::failed);
}
