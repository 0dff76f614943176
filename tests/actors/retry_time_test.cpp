// When the next attempt of a failed task begins.
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/specs.hpp"

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::testing;

namespace {

task_spec retried(std::string name, retry_policy policy) {
  auto out = a_task(std::move(name), {}, "hand");
  out.retry = policy;
  return out;
}

std::vector<milliseconds> starts(const clock_bed& bed) {
  std::vector<milliseconds> out;
  for (const auto& one : bed.hand->attempts)
    out.push_back(std::chrono::floor<milliseconds>(one->at));
  return out;
}

/// When the second attempts of a hundred tasks begin that all fail at once.
std::vector<milliseconds> second_starts(std::uint64_t seed, double jitter) {
  clock_bed bed{{}, seed};
  std::vector<task_spec> tasks;
  for (int i = 0; i < 100; ++i)
    tasks.push_back(
        retried("t" + std::to_string(i), {.attempts_max = 2, .backoff = 1s, .jitter = jitter}));
  bed.begin(an_objective({a_plan("p", tasks)}));
  for (int i = 0; i < 100; ++i)
    bed.report("t" + std::to_string(i), report_failed{"no", true});
  bed.pass(1s);
  auto all = starts(bed);
  return {all.begin() + 100, all.end()};
}

} // namespace

TEST_CASE("the wait before an attempt doubles up to its maximum, and the attempts are counted",
          "[actors][time]") {
  clock_bed bed;
  bed.begin(an_objective(
      {a_plan("p", {retried("a", {.attempts_max = 6, .backoff = 1s, .backoff_max = 5s})})}));
  for (int i = 0; i < 6; ++i) {
    bed.report("a", report_failed{"no", true});
    bed.pass(10s - 1ms); // longer than any wait, so each wait counts from the failure
    bed.pass(1ms);
  }
  CHECK(starts(bed) == std::vector<milliseconds>{0s, 1s, 12s, 24s, 35s, 45s});
  CHECK(bed.text("a") == "no (attempt 6 of 6)");
  CHECK(bed.objective()->state == objective_state::failed);
  CHECK(bed.hand->running() == 0);
}

TEST_CASE("an attempt begins when its wait is over and not before", "[actors][time]") {
  clock_bed bed;
  bed.begin(an_objective({a_plan("p", {retried("a", {.attempts_max = 2, .backoff = 1500ms})})}));
  bed.report("a", report_failed{"no", true});
  CHECK_THAT(bed.text("a"), ContainsSubstring("attempt 1 of 2 failed: no; the next one in 1.5 s"));
  bed.pass(1499ms);
  CHECK(bed.hand->attempts.size() == 1);
  bed.pass(1ms);
  REQUIRE(bed.hand->attempts.size() == 2);
  CHECK(bed.hand->of("a").number == 2);
  bed.report("a", report_completed{});
  CHECK(bed.seen->lines
        == std::vector<std::string>{"0 a working", "0 a working", "1.5 a working #2",
                                    "1.5 a completed #2"});
}

TEST_CASE("a long backoff is one deadline, and nothing comes before it", "[actors][time]") {
  clock_bed bed;
  bed.begin(an_objective(
      {a_plan("p", {retried("a", {.attempts_max = 2, .backoff = 24h, .backoff_max = 24h})})}));
  bed.report("a", report_failed{"no", true});
  REQUIRE(bed.clock.next_due());
  CHECK(*bed.clock.next_due() == 24h);
  SECTION("the next attempt begins then") {
    bed.pass(24h - 1ms);
    CHECK(bed.hand->attempts.size() == 1);
    bed.pass(1ms);
    CHECK(bed.hand->attempts.size() == 2);
    CHECK_FALSE(bed.clock.next_due());
  }
  SECTION("also after a restart") {
    bed.pass(23h);
    bed.restart();
    REQUIRE(bed.clock.next_due());
    CHECK(*bed.clock.next_due() == 1h);
  }
  SECTION("nothing is kept of it if the task is canceled") {
    static_cast<void>(bed.cancel("a"));
    CHECK(bed.states() == "canceled");
    CHECK_FALSE(bed.clock.next_due());
  }
}

TEST_CASE("late reports of an earlier attempt are ignored", "[actors][time]") {
  clock_bed bed;
  bed.begin(an_objective({a_plan("p", {retried("a", {.attempts_max = 3, .backoff = 1s})})}));
  const auto old = bed.hand->of("a").port;
  bed.report("a", report_failed{"no", true});
  old->report(report_completed{});
  bed.pass(1s);
  old->report(report_completed{});
  bed.clock.settle();
  CHECK(bed.states() == "working");
  bed.report("a", report_completed{});
  CHECK(bed.states() == "completed");
}

TEST_CASE("an agent that says trying again is of no use is not asked again", "[actors][time]") {
  clock_bed bed;
  bed.begin(an_objective({a_plan("p", {retried("a", {.attempts_max = 5, .backoff = 1s})})}));
  bed.report("a", report_failed{"no such command", false});
  CHECK(bed.text("a") == "no such command");
  CHECK_FALSE(bed.clock.next_due());
  CHECK(bed.hand->attempts.size() == 1);
}

TEST_CASE("jitter takes at most its share off the wait, and a seed repeats it", "[actors][time]") {
  const auto waits = second_starts(7, 0.5);
  REQUIRE(waits.size() == 100);
  for (const auto wait : waits) {
    CHECK(wait >= 499ms);
    CHECK(wait <= 1s);
  }
  CHECK(std::ranges::min(waits) < 600ms);
  CHECK(std::ranges::max(waits) > 900ms);
  CHECK(waits == second_starts(7, 0.5));
  CHECK(waits != second_starts(8, 0.5));
  CHECK(second_starts(7, 0.0) == std::vector<milliseconds>(100, 1s));
  CHECK(std::ranges::min(second_starts(7, 1.0)) < 100ms);
}
