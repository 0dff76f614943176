#include "actors/plan/pause_log.hpp"
#include "tests/support/catch.hpp"

#include <chrono>
#include <vector>

using namespace troupe;

namespace {

timestamp at(int ms) {
  return timestamp{std::chrono::milliseconds{ms}};
}

task_span waited_for(task_phase phase, int begin, int end) {
  return {phase, 1, at(begin), at(end), {}};
}

} // namespace

TEST_CASE("what a task waited for before it began: slots and pauses in turn", "[actors][pause]") {
  pause_log log;
  CHECK(log.waits_since(at(10)).empty());
  log.note(true, at(20));
  log.note(true, at(25)); // it is paused already
  log.note(false, at(30));
  log.note(false, at(35));
  log.note(true, at(50));
  log.note(false, at(60));
  using waits = std::vector<task_span>;
  CHECK(log.waits_since(at(10))
        == waits{waited_for(task_phase::slot, 10, 20), waited_for(task_phase::pause, 20, 30),
                 waited_for(task_phase::slot, 30, 50), waited_for(task_phase::pause, 50, 60)});
  CHECK(log.waits_since(at(25))
        == waits{waited_for(task_phase::pause, 25, 30), waited_for(task_phase::slot, 30, 50),
                 waited_for(task_phase::pause, 50, 60)});
  CHECK(log.waits_since(at(60)).empty());
  log.note(true, at(70)); // goes on
  CHECK(log.waits_since(at(60)).empty());
}

TEST_CASE("the oldest pauses are forgotten, and count as a wait for a slot", "[actors][pause]") {
  pause_log log;
  for (int i = 0; i <= static_cast<int>(pauses_max); ++i) {
    log.note(true, at(10 * i + 1));
    log.note(false, at(10 * i + 6));
  }
  const auto waits = log.waits_since(at(0));
  REQUIRE(waits.size() == 2 * pauses_max);
  CHECK(waits[0] == waited_for(task_phase::slot, 0, 11));
  CHECK(waits[1] == waited_for(task_phase::pause, 11, 16));
}
