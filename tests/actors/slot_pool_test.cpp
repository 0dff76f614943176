#include "actors/slot_pool.hpp"

#include <string>

#include "tests/support/catch.hpp"

using namespace troupe;

TEST_CASE("owners take turns, within an owner it is first come first served", "[actors][slot_pool]") {
  slot_pool pool{1};
  for (slot_ticket i = 1; i <= 10'000; ++i)
    pool.request(i, "wide");
  for (slot_ticket i = 10'001; i <= 10'003; ++i)
    pool.request(i, "narrow");
  std::string order;
  for (int i = 0; i < 8; ++i) {
    const auto ticket = pool.next();
    REQUIRE(ticket);
    order += *ticket > 10'000 ? 'n' : 'w';
    pool.give_back(*ticket);
  }
  CHECK(order == "wnwnwnww");
}

TEST_CASE("no more slots are granted than there are", "[actors][slot_pool]") {
  slot_pool pool{2};
  for (slot_ticket i = 1; i <= 3; ++i)
    pool.request(i, "a");
  CHECK(pool.next() == 1);
  CHECK(pool.next() == 2);
  CHECK_FALSE(pool.next());
  pool.give_back(1);
  CHECK(pool.next() == 3);
  CHECK(pool.in_use() == 2);
}

TEST_CASE("a request that is withdrawn never gets a slot and costs none", "[actors][slot_pool]") {
  slot_pool pool{1};
  pool.request(1, "a");
  pool.request(2, "a");
  pool.request(3, "a");
  CHECK(pool.next() == 1);
  pool.give_back(2);
  pool.give_back(99);
  CHECK(pool.waiting() == 1);
  pool.give_back(1);
  CHECK(pool.next() == 3);
}

TEST_CASE("who gives up leaves nothing behind, and does not lose its owner's turn", "[actors][slot_pool]") {
  slot_pool pool{1};
  pool.request(1, "first");
  REQUIRE(pool.next() == 1);
  for (slot_ticket ticket = 2; ticket < 1'000; ++ticket) {
    pool.request(ticket, "owner " + std::to_string(ticket));
    pool.give_back(ticket);
  }
  CHECK(pool.waiting() == 0);
  CHECK(pool.owners() == 0);
  pool.request(1'001, "a");
  pool.request(1'002, "b");
  pool.request(1'003, "a");
  pool.give_back(1'001);
  pool.give_back(1);
  CHECK(pool.next() == 1'003);
  pool.give_back(1'003);
  CHECK(pool.next() == 1'002);
  CHECK(pool.in_use() == 1);
}
