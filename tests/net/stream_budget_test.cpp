// Who is cut when streams hold too much: the reader that has taken nothing for the longest time.
#include "net/stream_budget.hpp"
#include "tests/support/catch.hpp"
#include <troupe/net/limits.hpp>

#include <memory>
#include <vector>

using namespace troupe::net;

namespace {

struct noted_stream final : stalling_stream {
  explicit noted_stream(stream_budget& of) : budget(of) {}
  ~noted_stream() { budget.go_on(*this); }
  void cut() override { ++cuts; }

  /// Takes `bytes`, and waits for its reader.
  void hold(std::size_t bytes) {
    held = budget.take(bytes);
    budget.stall(*this, bytes);
  }

  stream_budget& budget;
  stream_budget::share held;
  int cuts = 0;
};

} // namespace

TEST_CASE("who needs room cuts those that have stalled longest, as many as hold so much",
          "[net][stream_budget]") {
  stream_budget budget(1000);
  noted_stream first(budget);
  noted_stream second(budget);
  noted_stream third(budget);
  first.hold(300);
  second.hold(300);
  third.hold(300);
  const auto fits = budget.take(100);
  CHECK(fits.bytes() == 100);
  CHECK(first.cuts == 0);
  const auto more = budget.take(400);
  CHECK(more.bytes() == 400);
  CHECK(first.cuts == 1);
  CHECK(second.cuts == 1);
  CHECK(third.cuts == 0);
  // What was cut gives its bytes back when it ends.
  CHECK(budget.held() == 1400);
  first.held = {};
  second.held = {};
  CHECK(budget.held() == 800);
}

TEST_CASE("streams that all make a text at once find room together", "[net][stream_budget]") {
  constexpr std::size_t streams = 10'000;
  stream_budget budget(stream_bytes_total_max);
  CHECK(budget.window(0) == stream_window_bytes);
  CHECK(budget.window(1) == stream_window_bytes);
  std::vector<stream_budget::share> texts;
  for (std::size_t i = 0; i < streams; ++i) {
    texts.push_back(budget.take(3 * budget.window(streams))); // Texts are longer than changes.
    REQUIRE(texts.back());
  }
  CHECK(budget.window(streams) < stream_window_bytes);
  CHECK(budget.held() < stream_bytes_total_max);
}

TEST_CASE("the window of streams is never empty, and fits what the process may hold",
          "[net][stream_budget]") {
  const auto memory = std::make_shared<troupe::memory_budget>(1000);
  stream_budget budget(100'000, memory);
  CHECK(budget.window(4) == 100); // 80 % of the budget are for feeds.
  const auto held = budget.take(800);
  CHECK(held);
  CHECK(budget.window(4) == 1);
}

TEST_CASE("a reader that takes something is not the slowest any more", "[net][stream_budget]") {
  stream_budget budget(1000);
  noted_stream first(budget);
  noted_stream second(budget);
  first.hold(500);
  second.hold(500);
  budget.stall(first, 400);
  CHECK(budget.take(100));
  CHECK(first.cuts == 0);
  CHECK(second.cuts == 1);
  budget.go_on(first);
  CHECK_FALSE(budget.take(100)); // Nobody stalls.
  CHECK(first.cuts == 0);
}

TEST_CASE(
    "if those that stall hold less than is needed, the slowest is cut and the need is refused",
    "[net][stream_budget]") {
  stream_budget budget(1000);
  noted_stream first(budget);
  noted_stream second(budget);
  auto reading = budget.take(800);
  first.hold(100);
  second.hold(100);
  CHECK_FALSE(budget.take(500));
  CHECK(first.cuts == 1);
  CHECK(second.cuts == 0);
  CHECK(budget.held() == 1000);
}

TEST_CASE("one stream alone may hold more than the limit", "[net][stream_budget]") {
  stream_budget budget(1000);
  const auto share = budget.take(5000);
  CHECK(share.bytes() == 5000);
  CHECK_FALSE(budget.take(1));
}

TEST_CASE("feeds end at their share of the process's memory: no stream begins, the slowest is cut",
          "[net][stream_budget][memory]") {
  using troupe::memory_account;
  const auto memory = std::make_shared<troupe::memory_budget>(1000);
  stream_budget budget(100'000, memory);
  memory->force(memory_account::backlog, 600);
  noted_stream first(budget);
  noted_stream second(budget);
  first.hold(100);
  second.hold(100); // All together 80 %, the share of feeds.
  CHECK(memory->held(memory_account::feeds) == 200);
  CHECK_FALSE(budget.admits_stream());
  CHECK(first.cuts == 1);
  CHECK(second.cuts == 0);
  CHECK_FALSE(budget.feeds()->take(1));
  CHECK_THAT(budget.why_no_room(1),
             ContainsSubstring("feeds") && ContainsSubstring("limits.memory"));
  first.held = {};
  CHECK(memory->held(memory_account::feeds) == 100);
  CHECK(budget.admits_stream());
}

TEST_CASE("no stream begins while there is no room, and the slowest is cut then",
          "[net][stream_budget]") {
  stream_budget budget(1000);
  CHECK(budget.admits_stream());
  noted_stream first(budget);
  noted_stream second(budget);
  first.hold(500);
  CHECK(budget.admits_stream());
  second.hold(500);
  CHECK_FALSE(budget.admits_stream());
  CHECK(first.cuts == 1);
  CHECK(second.cuts == 0);
  first.held = {};
  CHECK(budget.admits_stream());
}
