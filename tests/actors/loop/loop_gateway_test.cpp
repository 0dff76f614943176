// The gateway actor of an event loop: answers come as messages and are handed on in the loop's
// turn; if it dies, its requests get an error, its successor goes on, and no task is lost.
#include "actors/loop/loop_gateway.hpp"
#include "actors/service/service.hpp"
#include "tests/support/actor_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/results.hpp"

#include <atomic>
#include <optional>
#include <string>
#include <thread>

using namespace troupe;
using namespace troupe::testing;

namespace {

/// Waits for one answer.
template<class T>
struct waiter final : pending_request {
  explicit waiter(loop_gateway& of) : own_gateway(of), number(of.expect(*this)) {}
  waiter(const waiter&) = delete;
  waiter& operator=(const waiter&) = delete;
  ~waiter() { own_gateway.forget(number); }
  void on_answer(service_answer answer) override { value = std::get<result<T>>(std::move(answer)); }
  void on_wake() override { ++wakes; }
  void on_failure(const error& reason) override { value = reason; }

  loop_gateway& own_gateway;
  request_number number;
  std::optional<result<T>> value;
  int wakes = 0;
};

send_message text(const std::string& name) {
  send_message out;
  out.message.message_id = "m";
  out.message.from = role::user;
  out.message.parts.push_back(text_part(name));
  return out;
}

/// An event loop in the test's hand.
struct turned_loop {
  explicit turned_loop(gateway& main_gateway)
      : own_gateway(main_gateway.attach([this] { ++notified; })) {}
  std::atomic<int> notified{0};
  loop_gateway& own_gateway;
};

} // namespace

TEST_CASE("an answer comes as a message and is handed on when the loop takes its turn",
          "[actors][gateway]") {
  clock_bed bed;
  bed.agents.default_agent = "hand";
  turned_loop loop(bed.main_gateway());
  waiter<sent> mine(loop.own_gateway);
  bed.main_gateway().send(text("go"), nullptr, loop.own_gateway.reply_to<sent>(mine.number));
  bed.clock.settle();
  CHECK(loop.notified == 1);
  CHECK_FALSE(mine.value);
  loop.own_gateway.run();
  REQUIRE(mine.value);
  CHECK((*mine.value)->created);
}

TEST_CASE("an answer on the loop's own thread needs no message", "[actors][gateway]") {
  clock_bed bed;
  turned_loop loop(bed.main_gateway());
  const loop_gateway::turn here(&loop.own_gateway);
  waiter<task_ptr> mine(loop.own_gateway);
  service(bed.main_gateway())
      .get({.who = {}, .id = task_id{"none"}, .view = {}},
           loop.own_gateway.reply_to<task_ptr>(mine.number));
  REQUIRE(mine.value);
  CHECK(mine.value->error().code == errc::task_not_found);
  CHECK(loop.notified == 0);
}

TEST_CASE("messages that gather notify the loop once", "[actors][gateway]") {
  clock_bed bed;
  turned_loop loop(bed.main_gateway());
  waiter<sent> mine(loop.own_gateway);
  for (int i = 0; i < 5; ++i)
    loop.own_gateway.wake(mine.number);
  CHECK(loop.notified == 1);
  loop.own_gateway.run();
  CHECK(mine.wakes == 5);
  loop.own_gateway.wake(mine.number);
  CHECK(loop.notified == 2);
}

TEST_CASE("when a gateway actor dies its requests get an error, its successor goes on, and no task "
          "is lost",
          "[actors][gateway]") {
  clock_bed bed;
  bed.agents.default_agent = "hand";
  turned_loop loop(bed.main_gateway());
  waiter<sent> first(loop.own_gateway);
  bed.main_gateway().send(text("go"), nullptr, loop.own_gateway.reply_to<sent>(first.number));
  loop.own_gateway.kill();
  loop.own_gateway.run();
  REQUIRE(first.value);
  REQUIRE_FALSE(*first.value);
  CHECK(first.value->error().code == errc::internal);
  CHECK_THAT(first.value->error().message, ContainsSubstring("gateway"));
  first.value.reset();

  // The task does not know: it runs, and its answer, which comes late, reaches no request.
  bed.clock.settle();
  loop.own_gateway.run();
  CHECK_FALSE(first.value);
  REQUIRE(bed.hand->attempts.size() == 1);
  CHECK(bed.hand->running() == 1);

  // The successor answers what comes next.
  waiter<sent> second(loop.own_gateway);
  bed.main_gateway().send(text("again"), nullptr, loop.own_gateway.reply_to<sent>(second.number));
  bed.clock.settle();
  loop.own_gateway.run();
  REQUIRE(second.value);
  CHECK((*second.value)->created);
  CHECK(bed.hand->running() == 2);
}

TEST_CASE("an exception in a pending request ends only its gateway actor", "[actors][gateway]") {
  struct faulty final : pending_request {
    void on_answer(service_answer) override {}
    void on_wake() override { throw std::runtime_error("fault"); }
    void on_failure(const error&) override {}
  };
  clock_bed bed;
  turned_loop loop(bed.main_gateway());
  faulty one;
  const auto number = loop.own_gateway.expect(one);
  waiter<sent> other(loop.own_gateway);
  loop.own_gateway.wake(number);
  loop.own_gateway.run();
  REQUIRE(other.value);
  CHECK(other.value->error().code == errc::internal);
  waiter<sent> next(loop.own_gateway);
  loop.own_gateway.wake(next.number);
  loop.own_gateway.run();
  CHECK(next.wakes == 1);
}

TEST_CASE("answers from many threads reach their requests", "[actors][gateway]") {
  actor_bed bed;
  std::mutex lock;
  std::condition_variable notified;
  bool has_mail = false;
  auto& own_gateway = bed.main_gateway().attach([&] {
    const std::lock_guard guard(lock);
    has_mail = true;
    notified.notify_all();
  });
  constexpr int sends = 200;
  std::vector<std::unique_ptr<waiter<sent>>> all;
  for (int i = 0; i < sends; ++i) {
    all.push_back(std::make_unique<waiter<sent>>(own_gateway));
    bed.main_gateway().send(text("go"), nullptr, own_gateway.reply_to<sent>(all.back()->number));
  }
  const auto answered = [&] {
    return std::count_if(all.begin(), all.end(),
                         [](const auto& one) { return one->value && one->value->has_value(); });
  };
  while (answered() < sends) {
    {
      std::unique_lock guard(lock);
      REQUIRE(notified.wait_for(guard, std::chrono::seconds{20}, [&] { return has_mail; }));
      has_mail = false;
    }
    own_gateway.run();
  }
  CHECK(answered() == sends);
}
