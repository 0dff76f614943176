// What a thread does whose allocation finds no memory.
#include "apps/process_memory.hpp"
#include "protocol/refusable_work.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace {

constexpr time_source::steady_point begin{1h};

} // namespace

TEST_CASE("work that can be refused is refused when memory is not found at once",
          "[apps][memory]") {
  memory_search search;
  CHECK(search.next(begin, true) == memory_step::try_again);
  search.returns(begin + 30ms); // It took long to give back what the allocator kept.
  CHECK(search.next(begin + 30ms, true) == memory_step::refuse);
  CHECK(search.next(begin + 90ms, true) == memory_step::try_again); // Another allocation.
}

TEST_CASE("other work takes the reserve, and then waits, but not for ever", "[apps][memory]") {
  memory_search search;
  auto now = begin;
  const auto fails_again = [&](std::chrono::milliseconds later = 0ms) {
    search.returns(now += later);
    return search.next(now, false);
  };
  CHECK(search.next(now, false) == memory_step::try_again);
  CHECK(fails_again() == memory_step::take_reserve);
  CHECK(fails_again() == memory_step::wait);
  CHECK(fails_again(memory_search::wait_max - 1ms) == memory_step::wait);
  CHECK(fails_again(1ms) == memory_step::end);
}

TEST_CASE("an allocation that has found memory ends the wait", "[apps][memory]") {
  memory_search search;
  CHECK(search.next(begin, false) == memory_step::try_again);
  search.returns(begin);
  CHECK(search.next(begin, false) == memory_step::take_reserve);
  search.returns(begin + 9s);
  CHECK(search.next(begin + 9s + 5ms, false) == memory_step::try_again);
  search.returns(begin + 12s);
  CHECK(search.next(begin + 12s, false) == memory_step::take_reserve);
  search.returns(begin + 13s);
  CHECK(search.next(begin + 13s, false) == memory_step::wait);
}

TEST_CASE("work is refusable while it says so", "[apps][memory]") {
  CHECK_FALSE(refusable_work::is_here());
  {
    const refusable_work outer;
    { const refusable_work inner; }
    CHECK(refusable_work::is_here());
  }
  CHECK_FALSE(refusable_work::is_here());
}
