// Worlds made of what could bring everything to a stop: questions that hold slots, failures under
// maxParallel, reads that fail, pauses, plans that wait for each other. Nothing stands still in
// them. tests/actors/standstill_time_test.cpp has single cases of the same, without a server.
#include "tests/support/catch.hpp"

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include "sim/run.hpp"
#include "sim/settings.hpp"

using namespace std::chrono_literals;
using namespace troupe::sim;

namespace {

constexpr std::uint64_t seeds = 4;

settings quiet_world() {
  settings out;
  out.clients = 4;
  out.span = 8s;
  out.failing = out.asking = out.silent = out.careless = 0;
  return out;
}

/// Runs the worlds, which must meet these situations, so that they are what they are meant to be.
void run_all(settings how, std::initializer_list<std::string_view> wanted) {
  std::map<std::string, std::uint64_t, std::less<>> met;
  for (how.seed = 1; how.seed <= seeds; ++how.seed) {
    const auto got = run(how);
    INFO("seed " << how.seed);
    INFO((got.failed ? got.failed->checker + ": " + got.failed->sentence : ""));
    REQUIRE_FALSE(got.failed.has_value());
    for (const auto& [name, times] : got.situations)
      met[name] += times;
  }
  for (const auto name : wanted) {
    INFO(name);
    CHECK(met.contains(name));
  }
}

} // namespace

TEST_CASE("nothing stands still", "[sim][rest]") {
  auto how = quiet_world();
  SECTION("while every agent asks, several times, and holds a slot or gives it back") {
    how.asking = 1;
    how.changing = 0.3;
    how.together = 0.5;
    run_all(how, {"an agent asks and ends its run", "an agent gets an answer",
                  "an agent begins again with an answer", "an objective limits its plans"});
  }
  SECTION("while questions expire and their answers come late") {
    how.asking = 1;
    how.impatient = 1;
    how.changing = 0.5;
    run_all(how, {"a question expires", "an answer is refused because its question has expired"});
  }
  SECTION("while tasks end badly, in plans with few slots") {
    how.failing = 0.7;
    how.careless = 0.5;
    run_all(how, {"an agent throws", "an agent rejects a task", "a task gets another attempt",
                  "a plan runs as many tasks as it may",
                  "a dependent task never begins because another one failed"});
  }
  SECTION("while agents are silent, and deadlines end what they do") {
    how.silent = 0.8;
    how.deadlines = 1;
    how.deadline_max = 2s;
    run_all(how, {"an agent is silent", "a deadline ends a task", "a deadline ends a plan",
                  "a deadline ends an objective"});
  }
  SECTION("while plans fail, wait for each other and stand in for each other") {
    how.failing = 0.5;
    how.alternatives = 0.8;
    how.changing = 0.3;
    run_all(how, {"an alternative of a plan begins", "an alternative of a plan completes",
                  "a plan waits for another one"});
  }
  SECTION("while objectives are paused, ended and tried again") {
    how.failing = 0.3;
    how.asking = 0.3;
    how.changing = 0.7;
    how.think_max = 50ms;
    run_all(how, {"an objective is moved", "an objective is tried again", "a change does skipTask",
                  "a change does retryTask"});
  }
  SECTION("while results cannot be read, and the process dies") {
    how.keeps_records = false;
    how.journal_behind_bytes = 512;
    how.table_errors = 0.2;
    how.crashes_per_second = 0.5;
    how.settled_linger = 0s;
    run_all(how, {"a read of the tables fails", "a start goes on with objectives",
                  "an attempt is repeated after a crash"});
  }
  SECTION("while every limit is met at once") {
    how.clients = 10;
    how.live_tasks_max = 8;
    how.requests_max = 3;
    how.connections_max = 4;
    how.streams_max = 1;
    how.backlog_changes_max = 4;
    how.reads_max = 2;
    how.subscribers = 2;
    run_all(how, {"a request is refused because of limits.live-tasks",
                  "a request is refused because of limits.requests-in-flight",
                  "a request is refused because of limits.connections"});
  }
}
