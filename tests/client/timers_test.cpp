// Timers of a loop, on a clock that the test moves.
#include "client/timers.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/hand_time.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <string>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::net;
using namespace troupe::testing;

namespace {

struct timers_bed {
  void pass(std::chrono::milliseconds span) {
    time.pass(span);
    clock->turn();
    context.restart();
    context.poll();
  }

  hand_time time;
  asio::io_context context;
  timers_ptr clock = std::make_shared<timers>(context, time);
};

} // namespace

TEST_CASE("a timer is called once, by the clock that was passed in", "[client][timers]") {
  timers_bed bed;
  int calls = 0;
  timer one{bed.clock};
  one.start_after(10ms, [&] { ++calls; });
  bed.pass(9ms);
  CHECK(calls == 0);
  bed.pass(1ms);
  CHECK(calls == 1);
  bed.pass(100ms);
  CHECK(calls == 1);
}

TEST_CASE("a timer that is canceled, set again or destroyed forgets its earlier function",
          "[client][timers]") {
  timers_bed bed;
  std::string calls;
  timer canceled{bed.clock};
  timer renewed{bed.clock};
  {
    timer destroyed{bed.clock};
    destroyed.start_after(1ms, [&] { calls += "destroyed "; });
  }
  canceled.start_after(1ms, [&] { calls += "canceled "; });
  canceled.cancel();
  renewed.start_after(1ms, [&] { calls += "old "; });
  renewed.start_after(5ms, [&] { calls += "new "; });
  bed.pass(4ms);
  CHECK(calls.empty());
  bed.pass(1ms);
  CHECK(calls == "new ");
}

TEST_CASE("a wait for a timer ends when it is due, or when it is woken", "[client][timers]") {
  timers_bed bed;
  timer one{bed.clock};
  bool is_over = false;
  const auto wait = [&]() -> awaitable<void> {
    co_await one.wait_until(bed.clock->now() + 1h);
    is_over = true;
  };
  asio::co_spawn(bed.context, wait(), asio::detached);
  bed.pass(0ms); // It begins to wait.
  bed.pass(59min);
  CHECK_FALSE(is_over);
  SECTION("due") {
    bed.pass(1min);
    CHECK(is_over);
  }
  SECTION("woken") {
    one.wake();
    CHECK_FALSE(is_over); // not inside of the call
    bed.pass(0ms);
    CHECK(is_over);
  }
}

TEST_CASE("with an alarm the loop's thread turns by itself", "[client][timers]") {
  asio::io_context context;
  const auto clock = std::make_shared<timers>(context, system_time());
  clock->use_alarm();
  std::string calls;
  timer late{clock};
  timer early{clock};
  const auto begin = clock->now();
  late.start_at(begin + 2ms, [&] { calls += "late"; });
  early.start_at(begin + 1ms, [&] { calls += "early "; });
  context.run(); // ends when nothing is waited for any more
  CHECK(calls == "early late");
  clock->close();
}

TEST_CASE("timers that are closed forget what waits", "[client][timers]") {
  timers_bed bed;
  const auto kept = std::make_shared<int>(0);
  timer first(bed.clock);
  timer second(bed.clock);
  first.start_after(1s, [kept] { ++*kept; });
  second.start_after(2s, [kept] { ++*kept; });
  bed.clock->close();
  CHECK(kept.use_count() == 1);
  CHECK_FALSE(bed.clock->next_due().has_value());
  bed.pass(3s);
  CHECK(*kept == 0);
}
