#include "client/admission_queue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/hand_time.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <string>
#include <vector>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::net;
using namespace troupe::testing;

namespace {

struct queue_bed {
  queue_bed(std::size_t places, std::size_t waiting_max)
      : queue(std::make_shared<admission_queue>(clock, places, waiting_max)) {}

  void turn() {
    clock->turn();
    context.restart();
    context.poll();
  }
  /// Notes the name and whether it was let in, until 10 s from now.
  void wait(std::string name, admission_queue::ticket& on) {
    asio::co_spawn(
        context,
        [this, name = std::move(name), &on]() -> awaitable<void> {
          const bool is_in = co_await admission_queue::wait(on, clock->now() + 10s);
          heard.push_back(name + (is_in ? " in" : " out"));
        },
        asio::detached);
    turn();
  }

  hand_time time;
  asio::io_context context;
  timers_ptr clock = std::make_shared<timers>(context, time);
  std::shared_ptr<admission_queue> queue;
  std::vector<std::string> heard;
};

} // namespace

TEST_CASE("places go to those that wait, in their order", "[client][lending]") {
  queue_bed bed(1, 10);
  auto first = bed.queue->enter();
  auto second = bed.queue->enter();
  auto third = bed.queue->enter();
  CHECK(first.has_place());
  bed.wait("second", second);
  bed.wait("third", third);
  CHECK(bed.heard.empty());
  first.release();
  bed.turn();
  CHECK(bed.heard == std::vector<std::string>{"second in"});
  second = {};
  bed.turn();
  CHECK(bed.heard == std::vector<std::string>{"second in", "third in"});
  third = {};
  CHECK(bed.queue->free() == 1);
}

TEST_CASE("a wait ends when its time is up, or when its line is left", "[client][lending]") {
  queue_bed bed(1, 2);
  auto first = bed.queue->enter();
  auto late = bed.queue->enter();
  auto gone = bed.queue->enter();
  auto refused = bed.queue->enter();
  bed.wait("refused", refused); // two wait already
  bed.wait("late", late);
  bed.wait("gone", gone);
  gone.release();
  bed.turn();
  CHECK(bed.heard == std::vector<std::string>{"refused out", "gone out"});
  bed.time.pass(10s);
  bed.turn();
  CHECK(bed.heard.back() == "late out");
  late.release();
  CHECK(bed.queue->waiting() == 0);
  first.release();
  CHECK(bed.queue->free() == 1);
}
