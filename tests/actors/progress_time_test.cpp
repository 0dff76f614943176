// How often progress becomes a fact.
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/specs.hpp"

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::testing;

namespace {

using lines = std::vector<std::string>;

/// One task that runs, and "0 a working" has been said.
void begin_one(clock_bed& bed, std::uint32_t attempts = 1) {
  auto a = a_task("a", {}, "hand");
  a.retry = {.attempts_max = attempts, .backoff = 1s};
  bed.begin(an_objective({a_plan("p", {a})}));
  bed.seen->lines.clear();
}

} // namespace

TEST_CASE("progress that comes fast is merged to one fact per interval, the last value wins",
          "[actors][time]") {
  clock_bed bed;
  begin_one(bed);
  bed.progress("a", 1); // at once: nothing was said for long
  for (int i = 2; i <= 100; ++i) {
    bed.pass(10ms);
    bed.progress("a", i);
  }
  bed.pass(1min);
  CHECK(bed.seen->lines == lines{"0 a 1%", "0.5 a 50%", "1 a 100%"});
}

TEST_CASE("progress that comes slowly is a fact at once", "[actors][time]") {
  clock_bed bed;
  begin_one(bed);
  for (int i = 1; i <= 3; ++i) {
    bed.progress("a", i);
    bed.pass(500ms);
  }
  CHECK(bed.seen->lines == lines{"0 a 1%", "0.5 a 2%", "1 a 3%"});
  CHECK_FALSE(bed.clock.next_due());
}

TEST_CASE("the last value comes before the end, however the attempt ends", "[actors][time]") {
  clock_bed bed;
  const auto run = [&](std::uint32_t attempts, auto end) {
    begin_one(bed, attempts);
    bed.progress("a", 1);
    bed.pass(100ms);
    bed.progress("a", 2);
    end();
    return bed.seen->lines;
  };
  SECTION("completed") {
    CHECK(run(1, [&] { bed.report("a", report_completed{}); })
          == lines{"0 a 1%", "0.1 a 2%", "0.1 a completed"});
  }
  SECTION("failed") {
    CHECK(run(1,
              [&] {
                bed.report("a", report_failed{"no", true});
              })
          == lines{"0 a 1%", "0.1 a 2%", "0.1 a failed"});
  }
  SECTION("failed, with another attempt to come") {
    CHECK(run(2,
              [&] {
                bed.report("a", report_failed{"no", true});
              })
          == lines{"0 a 1%", "0.1 a 2%", "0.1 a working"});
  }
  SECTION("rejected") {
    CHECK(run(1, [&] { bed.report("a", report_rejected{"no"}); })
          == lines{"0 a 1%", "0.1 a 2%", "0.1 a rejected"});
  }
  SECTION("canceled") {
    CHECK(run(1, [&] { (void)bed.cancel("a"); }) == lines{"0 a 1%", "0.1 a 2%", "0.1 a canceled"});
  }
  SECTION("asked") {
    CHECK(run(1,
              [&] {
                bed.report("a", report_question{"?", false});
              })
          == lines{"0 a 1%", "0.1 a 2%", "0.1 a input-required"});
  }
  bed.seen->lines.clear();
  bed.pass(500ms);
  CHECK(bed.seen->lines.empty());
}

TEST_CASE("a computer's clock that is set back does not hold progress up", "[actors][time]") {
  clock_bed bed;
  begin_one(bed);
  bed.progress("a", 1);
  bed.clock.set(bed.clock.now() - 1h);
  bed.progress("a", 2);
  bed.pass(250ms);
  REQUIRE(bed.seen->lines.size() == 2);
  CHECK_THAT(bed.seen->lines[1], ContainsSubstring("a 2%"));
}
