#include "client/read_pace.hpp"
#include "tests/support/catch.hpp"

#include <memory>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::net;

TEST_CASE("a pace lets so many through at once, and then so many in a second", "[client]") {
  read_pace pace(100, 200);
  read_pace::point now{};
  for (int i = 0; i < 200; ++i)
    CHECK(pace.take(now, 1) == now);
  CHECK(pace.take(now, 1) == now + 10ms);
  CHECK(pace.take(now, 5) == now + 60ms);
  now += 60ms;
  CHECK(pace.take(now, 1) == now + 10ms);
  now += 1h; // no more is saved than goes at once
  CHECK(pace.take(now, 200) == now);
  CHECK(pace.take(now, 1) == now + 10ms);
}

TEST_CASE("what was of use counts no more for a pace", "[client]") {
  const auto pace = std::make_shared<read_pace>(100, 4);
  const read_pace::point now{};
  paced_answer good(pace);
  paced_answer bad(pace);
  CHECK(good.grow(now, paced_block_bytes - 1) == now);
  CHECK(good.grow(now, 4 * paced_block_bytes) == now);
  CHECK(bad.grow(now, 2 * paced_block_bytes) == now + 20ms);
  good.end(4 * paced_block_bytes);
  CHECK(bad.grow(now, 3 * paced_block_bytes) == now);
  bad.end(0); // it has cost what it has cost
  CHECK(good.grow(now, 2 * paced_block_bytes) == now + 10ms);
  good.end(paced_block_bytes); // a half of it was of use
  CHECK(good.grow(now, paced_block_bytes) == now + 10ms);
  good.end(1); // the first block that was begun counts as a whole one
  CHECK(good.grow(now, paced_block_bytes) == now + 10ms);
  paced_answer free(nullptr);
  CHECK(free.grow(now, 1'000 * paced_block_bytes) == now);
}
